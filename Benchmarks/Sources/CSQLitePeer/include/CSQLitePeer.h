#ifndef C_SQLITE_PEER_H
#define C_SQLITE_PEER_H
#include <stdint.h>

// SQLite as a program in C uses it: prepared statements, one table of eight columns, structs with copies of the texts.

typedef struct sqlite_peer sqlite_peer;

typedef struct {
    int64_t key, site, number;
    char *status, *title, *note;
    double total, date;
    int is_paid;
} sqlite_peer_row;

// Opens or makes a database in WAL mode with synchronous NORMAL, without mutexes, as GRDB does; NULL when that fails.
// It keeps `count` rows ready, so that inserting them measures SQLite and not the making of texts.
sqlite_peer *sqlite_peer_open(const char *path, int count);
void sqlite_peer_close(sqlite_peer *);

// Each returns how many rows it handled, and -1 when it failed.
int sqlite_peer_insert(sqlite_peer *);
int sqlite_peer_fetch(sqlite_peer *);
int sqlite_peer_update(sqlite_peer *, int count, int64_t value);
int sqlite_peer_clear(sqlite_peer *);

#endif
