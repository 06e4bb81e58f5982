./simulate --help | head -n 2; ./simulate -h > /dev/null; echo $?
