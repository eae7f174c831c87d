/* A ring { buffer. */
#include <stdio.h>
#include "ring.h"

#define LIMIT 10
#define MAX(a, b) \
    ((a) > (b) ? \
     (a) : (b))

#ifdef WIDE
typedef unsigned long word_t;
#else
typedef unsigned int word_t;
#endif

struct ring {
    int head;
    char *data;
};

typedef struct node {
    struct node *next;
} node_t;

typedef int (*callback)(void *, int);

enum state { OPEN, CLOSED };

extern int counter;
static const char *names[] = {
    "a {",
    "b",
};

struct ring *ring_new(size_t size);

/* Makes one. */
static inline struct ring *
ring_make(size_t size,
          int flags)
{
    char c = '{';
    if (size > LIMIT) {
        return NULL;
    }
    return ring_new(size);
}

#ifdef DEBUG
int dump(struct ring *r) {
#else
int dump(const struct ring *r) {
#endif
    printf("%d }\n", r->head);
    return 0;
}

#if 0
int never(void) {
#endif

int main(int argc, char **argv)
{
    return dump(ring_make(1, 0));
}
