./simulate capture --text tests/capture/text/sb.objdump:P0,P1 --stub barrier
