./simulate explain expectation-failed -f json
