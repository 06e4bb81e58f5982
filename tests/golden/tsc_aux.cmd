./simulate --only order --findings none -p intel tests/golden/tsc_aux.yaml
{ cat tests/golden/tsc_aux.yaml; echo 'msrs: {0xc0000103: 1}'; } | ./simulate --only order -q -p intel -
