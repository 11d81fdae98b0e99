#include "CLarderSQLite.h"

// Without object storage there is no SQLite to link.
#ifdef LARDER_OBJECTS

#include <sqlite3.h>

int larder_run_triggers(struct sqlite3 *connection, int isOn) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, isOn, (int *)0);
}

#endif
