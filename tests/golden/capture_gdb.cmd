./simulate capture --text tests/capture/text/sb.gdb --expect 'sometimes: P0:eax == 0' --name gdb
