#ifndef LARDER_INTERVALS_H
#define LARDER_INTERVALS_H

#include "CObjectStorageFaults.h"

// The locks that a connection holds.
typedef struct {
    int32_t connection;
    uint64_t file;
    struct {
        int is_held;
        int32_t writes;
        int64_t asked, acquired;
    } of[LARDER_LOCK_COUNT];
} larder_held_locks;

// Returns the time, or 0 if nothing is recorded.
int64_t larder_intervals_now(void);

// Numbers the connection that opened the database at `name`.
void larder_intervals_opened(larder_held_locks *locks, const char *name);

// Begins an interval, unless the lock is held already.
void larder_intervals_acquired(larder_held_locks *locks, larder_lock lock, int64_t asked);

// Records an interval that ends now, if the lock is held.
void larder_intervals_released(larder_held_locks *locks, larder_lock lock, int64_t releasing);

// Counts a write to the log or the database.
void larder_intervals_wrote(larder_held_locks *locks, int is_log);

#endif
