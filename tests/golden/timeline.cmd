./simulate --only time --timeline -p zen4 -V lock tests/golden/cost.yaml | sed -n '/timeline: P0/,$p'
