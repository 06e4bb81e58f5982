// Addresses of functions, kept in data and compared, by CPUs that also call them.
static __attribute__((noinline)) int f(int i) { return i + 9; }
static __attribute__((noinline)) int g(int i) { return i + 2; }
int (*published)(int);
int done;
int (*in_data)(int) = f;

void publish(void)
{
    published = f;
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
}

int compare(void)
{
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        ;
    return (published == f) + 2 * (published == g);
}

void publish_called(void)
{
    f(1);
    publish();
}

int compare_called(void) { return compare() + f(1); }

int same_in_data(void) { return f(1) + (in_data == f) + 2 * (in_data == g); }

int through_data(void) { return in_data(1); }

int go_to(int i)
{
    static const void *const where[] = {&&one, &&two, &&three};
    int sum = 0;
    goto *where[i % 3];
one:
    sum += 1;
two:
    sum += 10;
three:
    return sum + 100;
}

int overflows(int i) { return i + 1; }
