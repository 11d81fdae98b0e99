#if Objects
extension Area {
    /// Measures managed objects, compared with SQLite in C and GRDB records.
    static var objects: Area {
        Area(
            name: "objects",
            rows: [
                // The memory row is first, so that no memory of other rows is freed during its measurement.
                memoryOfAnObject, insertingObjects, fetchingObjects, fetchingAndReading, fetchingValues,
                walkingRelationships,
                updatingObjects, syncingObjects, rowsWrittenBySync, translatingPredicates, openingManyEntities,
                fetchingPages, savingOne, changingOne, upserting, upsertingOne, upsertingShown, sortingByRelated,
                sortingAPageByRelated, searching, findingByRelated, migrating, backingUp,
                savingWithOldValues, savingInTwoProcesses, mergingFromAnotherProcess, updatingLists,
                memoryOfManyObjects, memoryOfMigrations,
            ]
        )
    }
}
#endif
