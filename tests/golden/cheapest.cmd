./simulate -p zen4 -p x86 tests/golden/cost.yaml | grep -v -e finding -e 'on zen4 none' -e 'take it out'
./simulate -p zen4 -V none -V lfence tests/golden/cost.yaml | grep holds
./simulate -p zen4 --only time tests/golden/cost.yaml | grep cheapest
./simulate -p zen4 --witness none -f json tests/golden/cost.yaml | sed -n '/"comparisons"/,/"lfence"/p'
