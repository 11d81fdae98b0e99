#ifndef LARDER_OBJECT_STORAGE_FAULTS_H
#define LARDER_OBJECT_STORAGE_FAULTS_H

#include <stdint.h>

// A SQLite VFS that passes all calls to the default VFS, numbers those that change the disk, and injects one fault.
//
// A call changes the disk if it writes, truncates, syncs, creates or deletes a file, or makes the shared memory of a log longer.

// The fault to inject. Numbers begin with 1.
typedef enum {
    // No fault: calls are only numbered.
    LARDER_FAULT_NONE,
    // Kills the process (SIGKILL) before a call.
    LARDER_FAULT_KILL,
    // Kills the process after half of the bytes of a write. A call that does not write is not done at all.
    LARDER_FAULT_KILL_HALFWAY,
    // The disk is full from a growth on. Only calls that make a file longer are numbered.
    LARDER_FAULT_FULL,
    // A call fails with an I/O error, once.
    LARDER_FAULT_FAIL
} larder_fault;

// Registers the VFS as the default. Call it before the first connection opens. Returns 0, or a result code of SQLite.
int larder_faults_register(larder_fault fault, int number);

// Numbers a change of the disk that is not SQLite's. Kills the process if the fault is there; returns 1 if the call must fail, else 0.
int larder_faults_change(char kind);

// Returns a letter for each numbered call: w for a write, W for one that makes the file longer, t for a truncation, s for a sync,
// o for an opening that may create a file, d for a deletion, and M for shared memory that becomes longer.
const char *larder_faults_calls(void);

// Records each change of a file in a log: kind, length of the path, offset, length of the bytes, path, bytes. Returns 0 or errno.
//
// The first four are integers of 64 bits. The offset of a truncation is the new size; the bytes of a renaming are the new path.
int larder_faults_record(const char *path);

// Records a change that is not SQLite's. The destination is NULL if the change is no renaming.
void larder_faults_note(char kind, const char *path, const char *destination);

// Kills the process (SIGKILL) after some microseconds, at whatever instruction it is then. Returns 0 or an error number.
int larder_faults_end_after(long microseconds);

// MARK: Intervals of locks

// The locks of a connection that order commits and checkpoints. The first two are the numbers of SQLite's bytes in the shared memory.
typedef enum {
    // The write byte, held from the beginning of a writing transaction to its end. Recovery and some reads acquire it for a moment.
    LARDER_LOCK_WRITE,
    // The checkpoint byte.
    LARDER_LOCK_CHECKPOINT,
    // The exclusive lock on the database file, which replaces both bytes while the last connection closes, and in exclusive mode.
    LARDER_LOCK_FILE,
    LARDER_LOCK_COUNT
} larder_lock;

// An interval in which a connection held a lock.
//
// Times are nanoseconds of the monotonic clock, which all processes share. The connection certainly held the lock from `acquired` to
// `releasing`, and certainly did not before `asked` and after `released`.
typedef struct {
    int32_t process;
    // The number of the connection in its process.
    int32_t connection;
    // A `larder_lock`, or LARDER_LOCK_COUNT for a write to the database under neither of the locks that it requires.
    int32_t lock;
    // The number of writes under the lock: to the log under the write byte, to the database under the other two.
    int32_t writes;
    // The inode of the database.
    uint64_t file;
    int64_t asked, acquired, releasing, released;
} larder_lock_interval;

// Adds each interval of this process to a log, which other processes may share. Returns 0 or errno. Register the VFS first.
int larder_intervals_record(const char *path);

#endif
