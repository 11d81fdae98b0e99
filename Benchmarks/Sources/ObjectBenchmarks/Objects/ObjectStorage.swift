#if Objects
extension Area {
    /// Managed objects, beside SQLite in C and records of GRDB.
    static var objects: Area {
        Area(
            name: "objects",
            rows: [
                // First, so that nothing that other rows leave behind is freed while it counts.
                memoryOfAnObject, insertingObjects, fetchingObjects, fetchingAndReading, fetchingValues,
                walkingRelationships,
                updatingObjects, syncingObjects, rowsWrittenBySync, translatingPredicates, openingManyEntities,
                fetchingPages, savingOne, changingOne, upserting, upsertingOne, upsertingShown, sortingByRelated,
                sortingAPageByRelated, searching, findingByRelated, memoryOfManyObjects,
            ]
        )
    }
}
#endif
