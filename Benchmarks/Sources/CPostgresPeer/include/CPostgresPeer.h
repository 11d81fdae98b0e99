#pragma once
#include <stdbool.h>
#include <stdint.h>

/// A connection of libpq, used as a C program would, without Larder.
typedef struct postgres_peer postgres_peer;

/// Connects, or returns null.
postgres_peer *postgres_peer_open(const char *address);
void postgres_peer_close(postgres_peer *peer);

/// Returns the number of a store, or -1.
int32_t postgres_peer_store(postgres_peer *peer, const char *name);

/// Calls the function `larder.commit` with one write and a new identifier, and returns whether the commit was made. The value is the
/// hexadecimal digits of its encoding.
/// If `notifies`, a notification on the channel `bench` is part of the same transaction.
bool postgres_peer_commit(postgres_peer *peer, int32_t store, const char *key, const char *value, bool notifies);

/// Runs statements without parameters, and returns whether all succeeded.
bool postgres_peer_run(postgres_peer *peer, const char *statements);

/// Blocks until a notification arrives, and returns whether one did.
bool postgres_peer_wait(postgres_peer *peer);
