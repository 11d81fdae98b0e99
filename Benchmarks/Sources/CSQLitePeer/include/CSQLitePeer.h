#ifndef C_SQLITE_PEER_H
#define C_SQLITE_PEER_H
#include <stdint.h>

// A SQLite database used by a C program, with prepared statements, one table of eight columns, and structs that copy the strings.

typedef struct sqlite_peer sqlite_peer;

typedef struct {
    int64_t key, site, number;
    char *status, *title, *note;
    double total, date;
    int is_paid;
} sqlite_peer_row;

// Opens or creates a database in WAL mode with synchronous NORMAL and without mutexes, like GRDB. Returns NULL on failure.
// It prepares `count` rows, so that an insertion measures SQLite and not the creation of strings.
sqlite_peer *sqlite_peer_open(const char *path, int count);
void sqlite_peer_close(sqlite_peer *);

// Each function returns the number of rows that it processed, or -1 on failure.
int sqlite_peer_insert(sqlite_peer *);
int sqlite_peer_fetch(sqlite_peer *);
int sqlite_peer_update(sqlite_peer *, int count, int64_t value);
int sqlite_peer_clear(sqlite_peer *);

// Opens an existing database in WAL mode with synchronous FULL, runs the statements, and closes it, which writes the log to the file.
// Returns 0 on success.
int sqlite_peer_run(const char *path, const char *sql);
// Copies a database with SQLite's backup functions, in one step. Returns 0 on success.
int sqlite_peer_backup(const char *path, const char *copy);

#endif
