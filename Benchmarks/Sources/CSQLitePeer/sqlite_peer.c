#include "CSQLitePeer.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sqlite_peer {
    sqlite3 *database;
    sqlite_peer_row *rows;
    int count;
};

static int run(sqlite_peer *peer, const char *sql) {
    return sqlite3_exec(peer->database, sql, NULL, NULL, NULL) == SQLITE_OK;
}

// Creates the same rows as BenchmarkOrder.swift.
static sqlite_peer_row make_row(int number) {
    char title[32];
    snprintf(title, sizeof title, "Order number %d", number);
    return (sqlite_peer_row){
        .key = number + 1, .site = 7, .number = number, .status = strdup("processing"), .title = strdup(title),
        .note = number % 4 ? NULL : strdup("Please ring twice"), .total = number / 4.0, .date = number * 60.0,
        .is_paid = number % 2,
    };
}

static void free_rows(sqlite_peer_row *rows, int count) {
    for (int i = 0; i < count; i++) {
        free(rows[i].status);
        free(rows[i].title);
        free(rows[i].note);
    }
    free(rows);
}

sqlite_peer *sqlite_peer_open(const char *path, int count) {
    sqlite_peer *peer = calloc(1, sizeof *peer);
    if (!peer) return NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &peer->database, flags, NULL) == SQLITE_OK && run(peer, "PRAGMA journal_mode = WAL")
        && run(peer, "PRAGMA synchronous = NORMAL")
        && run(peer, "CREATE TABLE IF NOT EXISTS entry (key INTEGER PRIMARY KEY, site INTEGER, number INTEGER, status TEXT, "
                     "title TEXT, note TEXT, total REAL, date REAL, isPaid INTEGER) STRICT")) {
        peer->rows = calloc((size_t)count + 1, sizeof *peer->rows);
        peer->count = count;
        for (int i = 0; i < count; i++) peer->rows[i] = make_row(i);
        return peer;
    }
    sqlite_peer_close(peer);
    return NULL;
}

void sqlite_peer_close(sqlite_peer *peer) {
    sqlite3_close(peer->database);
    if (peer->rows) free_rows(peer->rows, peer->count);
    free(peer);
}

int sqlite_peer_insert(sqlite_peer *peer) {
    sqlite3_stmt *statement;
    if (!run(peer, "BEGIN IMMEDIATE")) return -1;
    if (sqlite3_prepare_v2(peer->database, "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", -1, &statement, NULL)
        != SQLITE_OK)
        return -1;
    for (int i = 0; i < peer->count; i++) {
        const sqlite_peer_row *row = &peer->rows[i];
        sqlite3_bind_int64(statement, 1, row->key);
        sqlite3_bind_int64(statement, 2, row->site);
        sqlite3_bind_int64(statement, 3, row->number);
        sqlite3_bind_text(statement, 4, row->status, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 5, row->title, -1, SQLITE_STATIC);
        if (row->note) sqlite3_bind_text(statement, 6, row->note, -1, SQLITE_STATIC);
        else sqlite3_bind_null(statement, 6);
        sqlite3_bind_double(statement, 7, row->total);
        sqlite3_bind_double(statement, 8, row->date);
        sqlite3_bind_int(statement, 9, row->is_paid);
        if (sqlite3_step(statement) != SQLITE_DONE) return -1;
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return run(peer, "COMMIT") ? peer->count : -1;
}

static char *copy(sqlite3_stmt *statement, int column) {
    const void *text = sqlite3_column_text(statement, column);
    if (!text) return NULL;
    size_t length = (size_t)sqlite3_column_bytes(statement, column);
    char *result = malloc(length + 1);
    if (result) memcpy(result, text, length + 1);
    return result;
}

int sqlite_peer_fetch(sqlite_peer *peer) {
    sqlite3_stmt *statement;
    int count = 0, room = 1024;
    sqlite_peer_row *rows = malloc(sizeof *rows * (size_t)room);
    if (!run(peer, "BEGIN")) return -1;
    if (sqlite3_prepare_v2(peer->database, "SELECT * FROM entry ORDER BY key", -1, &statement, NULL) != SQLITE_OK)
        return -1;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        if (count == room) rows = realloc(rows, sizeof *rows * (size_t)(room *= 2));
        rows[count++] = (sqlite_peer_row){
            .key = sqlite3_column_int64(statement, 0), .site = sqlite3_column_int64(statement, 1),
            .number = sqlite3_column_int64(statement, 2), .status = copy(statement, 3), .title = copy(statement, 4),
            .note = copy(statement, 5), .total = sqlite3_column_double(statement, 6),
            .date = sqlite3_column_double(statement, 7), .is_paid = sqlite3_column_int(statement, 8),
        };
    }
    sqlite3_finalize(statement);
    free_rows(rows, count);
    return run(peer, "COMMIT") ? count : -1;
}

int sqlite_peer_update(sqlite_peer *peer, int count, int64_t value) {
    sqlite3_stmt *statement;
    if (!run(peer, "BEGIN IMMEDIATE")) return -1;
    if (sqlite3_prepare_v2(peer->database, "UPDATE entry SET site = ? WHERE key = ?", -1, &statement, NULL) != SQLITE_OK)
        return -1;
    for (int i = 0; i < count; i++) {
        sqlite3_bind_int64(statement, 1, value);
        sqlite3_bind_int64(statement, 2, i + 1);
        if (sqlite3_step(statement) != SQLITE_DONE) return -1;
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return run(peer, "COMMIT") ? count : -1;
}

int sqlite_peer_clear(sqlite_peer *peer) { return run(peer, "DELETE FROM entry") ? 0 : -1; }

int sqlite_peer_run(const char *path, const char *sql) {
    sqlite3 *database = NULL;
    int result = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (result == SQLITE_OK) result = sqlite3_exec(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", NULL, NULL, NULL);
    if (result == SQLITE_OK) result = sqlite3_exec(database, sql, NULL, NULL, NULL);
    int closed = sqlite3_close(database);
    return result != SQLITE_OK ? result : closed;
}

int sqlite_peer_backup(const char *path, const char *copy) {
    sqlite3 *from = NULL, *to = NULL;
    int result = sqlite3_open_v2(path, &from, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    if (result == SQLITE_OK) result = sqlite3_open_v2(copy, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_backup *backup = result == SQLITE_OK ? sqlite3_backup_init(to, "main", from, "main") : NULL;
    if (result == SQLITE_OK && !backup) result = sqlite3_errcode(to);
    if (backup) {
        sqlite3_backup_step(backup, -1);
        result = sqlite3_backup_finish(backup);
    }
    sqlite3_close(to);
    sqlite3_close(from);
    return result;
}
