// Treiber's stack. Two pushes keep both nodes; with a plain store of the top one can be lost.
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
    long value;
};

struct stack {
    _Atomic(struct node *) top;
};

void push(struct stack *stack, struct node *node)
{
    struct node *top = atomic_load_explicit(&stack->top, memory_order_relaxed);
#ifdef BROKEN
    node->next = top;
    atomic_store_explicit(&stack->top, node, memory_order_release); /* seen */
#else
    do
        node->next = top;
    while (!atomic_compare_exchange_weak_explicit(&stack->top, &top, node, memory_order_release,
                                                  memory_order_relaxed));
#endif
}

long pop(struct stack *stack)
{
    struct node *top = atomic_load_explicit(&stack->top, memory_order_acquire);
    while (top && !atomic_compare_exchange_weak_explicit(
                      &stack->top, &top, top->next, memory_order_acquire, memory_order_acquire))
        ;
    return top ? top->value : 0;
}

struct node one = {NULL, 1}, two = {NULL, 2};
struct stack stack = {&one};
