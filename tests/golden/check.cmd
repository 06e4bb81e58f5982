# One line for each file that fails; quiet when all is well; other formats as ever.
./simulate check tests/golden/mp.yaml tests/golden/sb.yaml tests/golden/no_expectation.yaml tests/golden/unmodelled.yaml tests/golden/bad.yaml; echo "status $?"
./simulate check traces/classic -p x86 -p amd; echo "status $?"
./simulate check -q traces/classic; echo "status $?"
./simulate check -q tests/golden/sb.yaml; echo "status $?"
./simulate check -f gcc --witness none tests/golden/sb.yaml; echo "status $?"
./simulate check; echo "status $?"
