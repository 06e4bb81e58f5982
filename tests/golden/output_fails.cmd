./simulate -q -o /nonexistent/report tests/golden/sb.yaml
