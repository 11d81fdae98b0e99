#ifndef LARDER_SQLITE_H
#define LARDER_SQLITE_H

// Calls of variadic functions of SQLite, which Swift cannot import.

struct sqlite3;

/// Switches the triggers in the database file on or off for one connection. Returns a result code of SQLite.
///
/// TEMP triggers always run. Statements that are already prepared follow the switch.
int larder_run_triggers(struct sqlite3 *connection, int isOn);

#endif
