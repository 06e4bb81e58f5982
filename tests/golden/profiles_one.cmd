./simulate profiles zen4 | grep -E 'store_buffer_entries|l2_latency'
