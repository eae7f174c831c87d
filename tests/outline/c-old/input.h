#ifndef OLD_H
#define OLD_H

extern int deflate_it OF((struct stream *strm,
                          int flush));

#ifdef __cplusplus
extern "C" {
#endif

MODULE_LICENSE("none");

#define EACH(item, list) \
    for (item = list; item; item = item->next)

int (*handler)(int);

static int
parse(const char *text)
{
#if defined(A)
    if (text[0] == '{') {
#else
    if (text[0] == '(') {
#endif
        return 1;
    }
    EACH(item, list) {
        use(item);
    }
    return 0;
}

#ifdef __cplusplus
}
#endif

#endif
