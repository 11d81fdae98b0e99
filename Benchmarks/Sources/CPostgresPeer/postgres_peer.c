#include "CPostgresPeer.h"
// Debian puts the header in a folder of its own, which pkg-config would name.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct postgres_peer {
    PGconn *connection;
    uint64_t session;
    uint64_t number;
};

postgres_peer *postgres_peer_open(const char *address) {
    PGconn *connection = PQconnectdb(address);
    if (PQstatus(connection) != CONNECTION_OK) {
        fputs(PQerrorMessage(connection), stderr);
        PQfinish(connection);
        return NULL;
    }
    postgres_peer *peer = calloc(1, sizeof *peer);
    peer->connection = connection;
    FILE *random = fopen("/dev/urandom", "rb");
    if (!random || fread(&peer->session, sizeof peer->session, 1, random) != 1) abort();
    fclose(random);
    return peer;
}

void postgres_peer_close(postgres_peer *peer) {
    PQfinish(peer->connection);
    free(peer);
}

static bool succeeded(postgres_peer *peer, PGresult *result) {
    ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return true;
    fputs(PQerrorMessage(peer->connection), stderr);
    return false;
}

int32_t postgres_peer_store(postgres_peer *peer, const char *name) {
    const char *values[] = {name};
    PGresult *result =
        PQexecParams(peer->connection, "SELECT id FROM larder.store WHERE name = $1", 1, NULL, values, NULL, NULL, 0);
    int32_t store = succeeded(peer, result) && PQntuples(result) == 1 ? atoi(PQgetvalue(result, 0, 0)) : -1;
    PQclear(result);
    return store;
}

bool postgres_peer_commit(postgres_peer *peer, int32_t store, const char *key, const char *value, bool notifies) {
    char number[16], identifier[48], keys[256], values[64];
    snprintf(number, sizeof number, "%d", store);
    snprintf(identifier, sizeof identifier, "{\"\\\\x%016llx%016llx\"}", (unsigned long long)peer->session,
             (unsigned long long)++peer->number);
    int length = snprintf(keys, sizeof keys, "{\"\\\\x");
    for (const char *byte = key; *byte; byte++)
        length += snprintf(keys + length, sizeof keys - length, "%02x", (unsigned char)*byte);
    snprintf(keys + length, sizeof keys - length, "\"}");
    snprintf(values, sizeof values, "{\"\\\\x%s\"}", value);
    const char *parameters[] = {number, identifier, keys, values};
    const char *statement =
        notifies ? "SELECT answer, pg_notify('bench', '') FROM larder.commit($1, $2, NULL, 1, '{}', '{}', '{}', '{}', '{}', $3, $4, "
                   "'{NULL}')"
                 : "SELECT answer FROM larder.commit($1, $2, NULL, 1, '{}', '{}', '{}', '{}', '{}', $3, $4, '{NULL}')";
    PGresult *result = PQexecParams(peer->connection, statement, 4, NULL, parameters, NULL, NULL, 0);
    bool made = succeeded(peer, result) && PQntuples(result) == 1 && !strcmp(PQgetvalue(result, 0, 0), "committed");
    PQclear(result);
    return made;
}

bool postgres_peer_run(postgres_peer *peer, const char *statements) {
    PGresult *result = PQexec(peer->connection, statements);
    bool made = succeeded(peer, result);
    PQclear(result);
    return made;
}

bool postgres_peer_wait(postgres_peer *peer) {
    while (true) {
        PGnotify *notification = PQnotifies(peer->connection);
        if (notification) {
            PQfreemem(notification);
            return true;
        }
        struct pollfd descriptor = {.fd = PQsocket(peer->connection), .events = POLLIN};
        if (poll(&descriptor, 1, 10000) <= 0 || PQconsumeInput(peer->connection) != 1) return false;
    }
}
