// What the compiler makes of a `switch`: a table of places, once for each CPU.
int seen;

__attribute__((cold, noinline)) static void odd(int i) { seen = i; }

int choose(int i)
{
    switch (i) {
    case 0:
        return 11;
    case 1:
        seen++;
        return 7;
    case 2:
        return seen * 3 + 1;
    case 3:
        odd(5);
        return 2;
    case 4:
        seen = 9;
        break;
    case 5:
        seen = 10;
        break;
    case 6:
        return 66;
    case 8:
        return 88;
    default:
        return -1;
    }
    return seen + 100;
}
