./simulate capture --help
