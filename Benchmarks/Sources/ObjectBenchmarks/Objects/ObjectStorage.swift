#if Objects
extension Area {
    /// Managed objects, beside SQLite in C and records of GRDB.
    static var objects: Area {
        Area(
            name: "objects",
            rows: [
                insertingObjects, fetchingObjects, fetchingAndReading, fetchingValues, walkingRelationships,
                updatingObjects, syncingObjects, rowsWrittenBySync, translatingPredicates, openingManyEntities,
                memoryOfAnObject,
            ]
        )
    }
}
#endif
