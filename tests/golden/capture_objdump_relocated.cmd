./simulate capture --text - < tests/capture/text/sb.dr
