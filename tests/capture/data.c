// One CPU's code that reaches data and functions in every way that compilers have. `main` runs it
// on the machine and prints what the trace must end with.
#include <stdio.h>

struct node {
    struct node *next;
    long value;
};
static struct node third = {0, 3};
struct node second = {&third, 2};
static struct node *head = &second;
int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int hidden[4] = {9, 10, 11, 12};
static const long constants[3] = {100, 200, 300};
int common_one;
char text[] = "abc";
_Thread_local int counter = 5;
static _Thread_local long sums[3] = {1, 2, 3};

extern int elsewhere(int);
__attribute__((noinline)) static int helper(int i) { return table[i] + hidden[i & 3]; }
__attribute__((noinline)) int shared_helper(int i) { return helper(i) + 1; }
__attribute__((cold, noinline)) static void unlikely(void) { table[0] = -1; }

int all(int i)
{
    int result = shared_helper(2) + (int)head->next->value;
    counter++;
    sums[1] += counter;
    result = result * 31 + (int)sums[i];
    common_one = (int)constants[i + 1] + text[i];
    if (__builtin_expect(i == 1, 0))
        unlikely();
    result = result * 31 + hidden[i - 1];
    return elsewhere(result);
}

#ifdef MAIN
int elsewhere(int i) { return i * 2; }

int main(void)
{
    int result = all(1);
    printf("P0:eax=%u common_one=%u table_0=%u P0_counter=%u P0_sums_1=%ld\n", (unsigned)result,
           (unsigned)common_one, (unsigned)table[0], (unsigned)counter, sums[1]);
}
#endif
