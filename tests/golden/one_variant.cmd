./simulate -q -V mfence tests/golden/sb.yaml
