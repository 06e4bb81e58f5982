./simulate -f sarif tests/golden/sb.yaml tests/golden/bad.yaml tests/golden/unmodelled.yaml | sed -n '/"invocations"/,$p'
