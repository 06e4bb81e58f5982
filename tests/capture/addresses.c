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

#ifdef MAIN
static int last[16] __attribute__((section(".bss.zzz")));
int *end = last + 16;
static const int constants[16] = {1, 2, 3};
const int *constants_end = constants + 16;
int last_of_data(void) { return (int)(end - last); }
int last_of_constants(void) { return (int)(constants_end - constants); }
int main(void) { return 0; }
#else
int number_in_section __attribute__((section("numbers"))) = 1;
extern int __start_numbers[] __attribute__((weak)), __stop_numbers[] __attribute__((weak));
int bounds(void) { return __stop_numbers - __start_numbers; }
#endif
