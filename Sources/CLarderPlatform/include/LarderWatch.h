#ifndef LARDER_WATCH_H
#define LARDER_WATCH_H

#include <stddef.h>
#include <sys/types.h>

// Notification of changes to files (inotify). Platforms without inotify report ENOTSUP.

/// The maximum number of events that `larder_watch_read` returns.
#define LARDER_WATCH_EVENTS 64

/// A change to a watched file.
typedef struct {
    /// The number of the watch, or -1 if events were lost, and any watched file may have changed.
    int number;
    /// Whether the watch has ended, because it was removed or its file no longer exists.
    int has_ended;
} larder_watch_event;

/// Creates an instance, which is a descriptor. Returns -1 and sets errno if it fails.
int larder_watch_open(void);
/// Watches the file at `path` for writes, by any process. Returns the number of the watch, or -1 and sets errno.
///
/// A file has one number, even if it is added again or by another path.
int larder_watch_add(int descriptor, const char *path);
/// Ends a watch, which adds an event to the queue. Has no effect if the watch has already ended.
void larder_watch_remove(int descriptor, int number);
/// Waits for events and stores at most `LARDER_WATCH_EVENTS` of them. Returns their number, or -1 and sets errno.
ssize_t larder_watch_read(int descriptor, larder_watch_event *events);

#endif
