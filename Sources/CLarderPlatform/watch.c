#define _GNU_SOURCE
#include "LarderWatch.h"

#include <errno.h>

#if defined(__linux__)
#include <limits.h>
#include <sys/inotify.h>
#include <unistd.h>

int larder_watch_open(void) { return inotify_init1(IN_CLOEXEC); }

int larder_watch_add(int descriptor, const char *path) { return inotify_add_watch(descriptor, path, IN_MODIFY); }

void larder_watch_remove(int descriptor, int number) { (void)inotify_rm_watch(descriptor, number); }

ssize_t larder_watch_read(int descriptor, larder_watch_event *events) {
    // Events of files have no name, so that the buffer has room for the maximum number of them.
    _Alignas(struct inotify_event) char buffer[LARDER_WATCH_EVENTS * sizeof(struct inotify_event)];
    _Static_assert(sizeof buffer > sizeof(struct inotify_event) + NAME_MAX, "An event of a folder must fit.");
    ssize_t size = read(descriptor, buffer, sizeof buffer);
    if (size < 0) return -1;
    ssize_t count = 0;
    for (ssize_t offset = 0; offset < size; count++) {
        const struct inotify_event *event = (const struct inotify_event *)(buffer + offset);
        events[count].number = (event->mask & IN_Q_OVERFLOW) != 0 ? -1 : event->wd;
        events[count].has_ended = (event->mask & IN_IGNORED) != 0;
        offset += (ssize_t)(sizeof *event + event->len);
    }
    return count;
}
#else
static int fail(void) {
    errno = ENOTSUP;
    return -1;
}

int larder_watch_open(void) { return fail(); }
int larder_watch_add(int descriptor, const char *path) { return fail(); }
void larder_watch_remove(int descriptor, int number) {}
ssize_t larder_watch_read(int descriptor, larder_watch_event *events) { return fail(); }
#endif
