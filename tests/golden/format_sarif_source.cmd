./simulate -f sarif tests/golden/captured.yaml | sed -n "/\"results\"/,\$p" | grep -E "\"uri\"|startLine"
