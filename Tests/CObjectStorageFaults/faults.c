#include "CObjectStorageFaults.h"
#include "intervals.h"

// Without object storage there is no SQLite to link.
#ifdef LARDER_OBJECTS

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Nothing can catch or block this signal, so no code runs after it.
static _Noreturn void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

// A file of the VFS. The default VFS's file follows it in memory.
typedef struct {
    sqlite3_file base;
    // SQLite keeps the name until the file is closed. NULL for a temporary file.
    const char *name;
    // The locks of a database. SQLite has one file of a database for each connection.
    larder_held_locks locks;
    // The database that this file or log belongs to. NULL for other files.
    larder_held_locks *owner;
} faulty_file;

// What a call is to do.
typedef enum { go_on, do_half, fail_once, no_space } verdict;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sqlite3_vfs *original;
static sqlite3_vfs wrapper;
static larder_fault fault;
static int fault_number;
static int growths;
static int record = -1;
static char *calls;
static size_t call_count, call_capacity;

static sqlite3_file *inner(sqlite3_file *file) { return (sqlite3_file *)((faulty_file *)file + 1); }

static verdict number(char kind, int grows) {
    verdict result = go_on;
    pthread_mutex_lock(&mutex);
    if (call_count + 1 >= call_capacity) {
        call_capacity = call_capacity * 2 + 1024;
        calls = realloc(calls, call_capacity);
        if (calls == NULL) abort();
    }
    calls[call_count++] = kind;
    calls[call_count] = 0;
    growths += grows;
    int is_hit = call_count == (size_t)fault_number;
    switch (fault) {
    case LARDER_FAULT_NONE: break;
    case LARDER_FAULT_KILL:
        if (is_hit) die();
        break;
    case LARDER_FAULT_KILL_HALFWAY:
        if (is_hit) result = do_half;
        break;
    case LARDER_FAULT_FULL:
        if (grows && growths >= fault_number) result = no_space;
        break;
    case LARDER_FAULT_FAIL:
        if (is_hit) result = fail_once;
        break;
    }
    pthread_mutex_unlock(&mutex);
    if (result == do_half && kind != 'w' && kind != 'W') die();
    return result;
}

static void write_record(const void *bytes, size_t count) {
    const char *next = bytes;
    while (count > 0) {
        ssize_t written = write(record, next, count);
        if (written < 0 && errno != EINTR) abort();
        if (written > 0) {
            next += written;
            count -= (size_t)written;
        }
    }
}

static void note(char kind, const char *name, int64_t offset, int64_t count, const void *bytes) {
    if (record < 0 || name == NULL) return;
    pthread_mutex_lock(&mutex);
    int64_t head[4] = {kind, (int64_t)strlen(name), offset, count};
    write_record(head, sizeof head);
    write_record(name, strlen(name));
    if (bytes != NULL) write_record(bytes, (size_t)count);
    pthread_mutex_unlock(&mutex);
}

// MARK: The methods of a file

static int file_close(sqlite3_file *file) {
    // Closing a file releases its locks.
    int64_t releasing = larder_intervals_now();
    int result = inner(file)->pMethods->xClose(inner(file));
    for (larder_lock lock = 0; lock < LARDER_LOCK_COUNT; lock++) {
        larder_intervals_released(&((faulty_file *)file)->locks, lock, releasing);
    }
    return result;
}

static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
    return inner(file)->pMethods->xRead(inner(file), buffer, count, offset);
}

static int file_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
    sqlite3_file *other = inner(file);
    sqlite3_int64 size = 0;
    int grows = other->pMethods->xFileSize(other, &size) == SQLITE_OK && offset + count > size;
    switch (number(grows ? 'W' : 'w', grows)) {
    case do_half:
        if (count > 1) other->pMethods->xWrite(other, buffer, count / 2, offset);
        die();
    case fail_once: return SQLITE_IOERR_WRITE;
    case no_space: return SQLITE_FULL;
    case go_on: break;
    }
    int result = other->pMethods->xWrite(other, buffer, count, offset);
    if (result == SQLITE_OK) {
        faulty_file *written = (faulty_file *)file;
        note('w', written->name, offset, count, buffer);
        if (written->owner != NULL) larder_intervals_wrote(written->owner, written->owner != &written->locks);
    }
    return result;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    if (number('t', 0) != go_on) return SQLITE_IOERR_TRUNCATE;
    int result = inner(file)->pMethods->xTruncate(inner(file), size);
    if (result == SQLITE_OK) note('t', ((faulty_file *)file)->name, size, 0, NULL);
    return result;
}

static int file_sync(sqlite3_file *file, int flags) {
    if (number('s', 0) != go_on) return SQLITE_IOERR_FSYNC;
    int result = inner(file)->pMethods->xSync(inner(file), flags);
    if (result == SQLITE_OK) note('s', ((faulty_file *)file)->name, 0, 0, NULL);
    return result;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return inner(file)->pMethods->xFileSize(inner(file), size);
}

static int file_lock(sqlite3_file *file, int lock) {
    int64_t asked = larder_intervals_now();
    int result = inner(file)->pMethods->xLock(inner(file), lock);
    if (result == SQLITE_OK && lock == SQLITE_LOCK_EXCLUSIVE) {
        larder_intervals_acquired(&((faulty_file *)file)->locks, LARDER_LOCK_FILE, asked);
    }
    return result;
}

static int file_unlock(sqlite3_file *file, int lock) {
    int64_t releasing = larder_intervals_now();
    int result = inner(file)->pMethods->xUnlock(inner(file), lock);
    larder_intervals_released(&((faulty_file *)file)->locks, LARDER_LOCK_FILE, releasing);
    return result;
}

static int file_is_reserved(sqlite3_file *file, int *result) {
    return inner(file)->pMethods->xCheckReservedLock(inner(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return inner(file)->pMethods->xFileControl(inner(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return inner(file)->pMethods->xSectorSize(inner(file)); }

static int file_characteristics(sqlite3_file *file) {
    return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}

static int file_map_shared(sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
    sqlite3_file *other = inner(file);
    if (extends) {
        int result = other->pMethods->xShmMap(other, region, size, 0, memory);
        if (result != SQLITE_OK || *memory != NULL) return result;
        switch (number('M', 1)) {
        case do_half: die();
        case fail_once: return SQLITE_IOERR_SHMMAP;
        case no_space: return SQLITE_IOERR_SHMSIZE;
        case go_on: break;
        }
    }
    return other->pMethods->xShmMap(other, region, size, extends, memory);
}

static int file_lock_shared(sqlite3_file *file, int offset, int count, int flags) {
    int64_t began = larder_intervals_now();
    int result = inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
    // Recovery locks several bytes at once.
    if (result != SQLITE_OK || count != 1 || !(flags & SQLITE_SHM_EXCLUSIVE) || offset > LARDER_LOCK_CHECKPOINT) return result;
    larder_held_locks *locks = &((faulty_file *)file)->locks;
    if (flags & SQLITE_SHM_LOCK) larder_intervals_acquired(locks, (larder_lock)offset, began);
    else larder_intervals_released(locks, (larder_lock)offset, began);
    return result;
}

static void file_barrier(sqlite3_file *file) { inner(file)->pMethods->xShmBarrier(inner(file)); }

static int file_unmap_shared(sqlite3_file *file, int deletes) {
    return inner(file)->pMethods->xShmUnmap(inner(file), deletes);
}

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
    return inner(file)->pMethods->xFetch(inner(file), offset, count, memory);
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
    return inner(file)->pMethods->xUnfetch(inner(file), offset, memory);
}

#define METHODS(version)                                                                                              \
    {version, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,         \
     file_is_reserved, file_control, file_sector_size, file_characteristics, file_map_shared, file_lock_shared,       \
     file_barrier, file_unmap_shared, file_fetch, file_unfetch}

// SQLite calls only the methods of a file's version.
static const sqlite3_io_methods methods[] = {METHODS(1), METHODS(2), METHODS(3)};

// MARK: The methods of the VFS

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *found) {
    (void)vfs;
    faulty_file *opened = (faulty_file *)file;
    opened->base.pMethods = NULL;
    opened->name = name;
    opened->locks = (larder_held_locks){0};
    opened->owner = NULL;
    if (flags & SQLITE_OPEN_CREATE && number('o', 0) != go_on) return SQLITE_CANTOPEN;
    int result = original->xOpen(original, name, inner(file), flags, found);
    // SQLite closes a file that has methods, even if it could not be opened.
    if (inner(file)->pMethods != NULL) {
        int version = inner(file)->pMethods->iVersion;
        opened->base.pMethods = &methods[version > 3 ? 2 : version - 1];
    }
    if (result == SQLITE_OK && flags & SQLITE_OPEN_CREATE) note('o', name, 0, 0, NULL);
    if (result == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB) {
        opened->owner = &opened->locks;
        larder_intervals_opened(&opened->locks, name);
    } else if (result == SQLITE_OK && flags & SQLITE_OPEN_WAL) {
        opened->owner = &((faulty_file *)sqlite3_database_file_object(name))->locks;
    }
    return result;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)vfs;
    if (number('d', 0) != go_on) return SQLITE_IOERR_DELETE;
    int result = original->xDelete(original, name, syncs);
    if (result == SQLITE_OK) note('d', name, syncs, 0, NULL);
    return result;
}

int larder_faults_register(larder_fault mode, int at) {
    fault = mode;
    fault_number = at;
    original = sqlite3_vfs_find(NULL);
    if (original == NULL) return SQLITE_ERROR;
    // The other methods only use members that the copy has too.
    wrapper = *original;
    wrapper.pNext = NULL;
    wrapper.zName = "larder-faults";
    wrapper.szOsFile = (int)sizeof(faulty_file) + original->szOsFile;
    wrapper.xOpen = vfs_open;
    wrapper.xDelete = vfs_delete;
    return sqlite3_vfs_register(&wrapper, 1);
}

int larder_faults_change(char kind) { return number(kind, 0) != go_on; }

const char *larder_faults_calls(void) { return calls == NULL ? "" : calls; }

int larder_faults_record(const char *path) {
    record = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return record < 0 ? errno : 0;
}

void larder_faults_note(char kind, const char *path, const char *destination) {
    note(kind, path, 0, destination == NULL ? 0 : (int64_t)strlen(destination), destination);
}

static void *end_later(void *microseconds) {
    long delay = (long)(intptr_t)microseconds;
    struct timespec time = {delay / 1000000, delay % 1000000 * 1000};
    while (nanosleep(&time, &time) != 0) continue;
    die();
}

int larder_faults_end_after(long microseconds) {
    pthread_t thread;
    return pthread_create(&thread, NULL, end_later, (void *)(intptr_t)microseconds);
}

#endif
