./simulate profiles | grep -E '^(x86|intel|amd|zen4|haswell) ' | cut -c1-32
