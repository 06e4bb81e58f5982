printf 'store-buffering Forbid # too strict\nmessage Forbid\narray Unknown\nnobody Allow\n' | ./simulate -q --kinds - traces/litmus
