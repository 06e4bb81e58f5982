./simulate -f herd --only order -p intel -p amd -V none -V mfence traces/classic/SB.yaml
