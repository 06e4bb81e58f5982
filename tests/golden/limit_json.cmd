./simulate --max-states 3 -f json -V none tests/golden/sb.yaml | sed -n '/"order"/,/"outcomes"/p'
