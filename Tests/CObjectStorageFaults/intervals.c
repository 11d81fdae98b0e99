#include "intervals.h"

// Without object storage there is no SQLite to link.
#ifdef LARDER_OBJECTS

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int record = -1;
static atomic_int connections;

int larder_intervals_record(const char *path) {
    record = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return record < 0 ? errno : 0;
}

int64_t larder_intervals_now(void) {
    if (record < 0) return 0;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Several processes append to one file, so an interval is one write.
static void add(larder_lock_interval interval) {
    if (write(record, &interval, sizeof interval) != sizeof interval) abort();
}

void larder_intervals_opened(larder_held_locks *locks, const char *name) {
    struct stat information;
    if (record < 0 || stat(name, &information) != 0) return;
    locks->file = information.st_ino;
    locks->connection = atomic_fetch_add(&connections, 1) + 1;
}

void larder_intervals_acquired(larder_held_locks *locks, larder_lock lock, int64_t asked) {
    if (record < 0 || locks->of[lock].is_held) return;
    locks->of[lock].is_held = 1;
    locks->of[lock].writes = 0;
    locks->of[lock].asked = asked;
    locks->of[lock].acquired = larder_intervals_now();
}

void larder_intervals_released(larder_held_locks *locks, larder_lock lock, int64_t releasing) {
    if (record < 0 || !locks->of[lock].is_held) return;
    locks->of[lock].is_held = 0;
    add((larder_lock_interval){
        .process = getpid(),
        .connection = locks->connection,
        .lock = (int32_t)lock,
        .writes = locks->of[lock].writes,
        .file = locks->file,
        .asked = locks->of[lock].asked,
        .acquired = locks->of[lock].acquired,
        .releasing = releasing,
        .released = larder_intervals_now(),
    });
}

void larder_intervals_wrote(larder_held_locks *locks, int is_log) {
    if (record < 0) return;
    if (is_log) {
        locks->of[LARDER_LOCK_WRITE].writes++;
        return;
    }
    locks->of[LARDER_LOCK_CHECKPOINT].writes++;
    locks->of[LARDER_LOCK_FILE].writes++;
    if (locks->of[LARDER_LOCK_CHECKPOINT].is_held || locks->of[LARDER_LOCK_FILE].is_held) return;
    int64_t now = larder_intervals_now();
    add((larder_lock_interval){
        .process = getpid(),
        .connection = locks->connection,
        .lock = LARDER_LOCK_COUNT,
        .writes = 1,
        .file = locks->file,
        .asked = now,
        .acquired = now,
        .releasing = now,
        .released = now,
    });
}

#endif
