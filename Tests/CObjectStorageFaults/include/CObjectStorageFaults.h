#ifndef LARDER_OBJECT_STORAGE_FAULTS_H
#define LARDER_OBJECT_STORAGE_FAULTS_H

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

#endif
