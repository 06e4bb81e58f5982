./simulate profiles zen44
