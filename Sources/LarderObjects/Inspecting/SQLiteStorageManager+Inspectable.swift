#if Objects
public import LarderCore

/// The file of a manager, which does not keep the manager open.
private struct ManagerFile: InspectedSource {
    let path: String
    let knowledge: InspectedKnowledge
    let readers: ValueReaders
    let inspectionLimits = InspectionLimits()

    func reading<Result>(_ body: (StatementCache) throws -> Result) throws -> Result {
        do {
            return try readers.read { try body(StatementCache($0)) }
        } catch {
            throw noting(error)
        }
    }
}

extension SQLiteStorageManager: Inspectable {
    private var file: ManagerFile {
        ManagerFile(path: path, knowledge: inspectedKnowledge, readers: valueReaders)
    }

    /// The path of the database file.
    public var inspectionName: String { path }
    /// The words "object database".
    public var inspectionKind: String { "object database" }
    /// The role of a database of objects.
    public var inspectionRole: InspectionRole { .objects }
    /// The channel of this manager's issues.
    public var inspectionIssues: IssueChannel? { issues }

    /// Returns the path, the sizes, the version of the model and the health of the database.
    public func inspectionFacts() throws -> [InspectionFact] {
        let health = health.isDamaged ? "corrupt, so this manager is read-only" : inspectedKnowledge.health
        return try file.facts(health: isReadOnly ? health + "; opened read-only" : health, file: path)
    }

    /// Returns up to `limit` objects whose ids, such as `Order/12`, begin with `prefix`.
    public func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow] {
        try file.rows(prefix: prefix, limit: limit)
    }

    /// Returns a table for each entity that the file stores.
    public func inspectionTables() throws -> [InspectionTable] { try file.tables() }

    /// Returns the table of the entity with this name without counts and sizes, or `nil` if the file has no such entity.
    public func inspectionTable(named name: String) throws -> InspectionTable? { try file.table(named: name) }

    /// Returns the next saved objects that a query selects.
    public func inspectionPage(_ query: InspectionQuery) throws -> InspectionPage { try file.page(query) }

    /// Returns a saved object with all of its values, or `nil` if it does not exist.
    public func inspectionRecord(_ key: String, in table: String) throws -> InspectionRecord? {
        try file.record(key, in: table)
    }

    /// Returns how SQLite executes a query, and which indexes it lacks.
    public func inspectionPlan(_ query: InspectionQuery) throws -> InspectionPlan? { try file.plan(query) }

    /// Calls a closure with the saves of all processes from now on.
    ///
    /// While anything is observed, the durations of this manager's queries and saves are measured.
    public func observeForInspection(
        _ receive: @escaping @Sendable (InspectionEvent) -> Void
    ) throws -> StoreObservation? {
        guard let follower = try SaveFollower(file, receive) else { return nil }
        let meter = queries.meter
        meter.begin()
        let endSaves = hub.observe { _ in follower.noteSave() }
        // A save may have been merged before.
        follower.noteSave()
        return StoreObservation {
            endSaves()
            follower.end()
            meter.end()
        }
    }

    /// Returns the sizes of the files, and while anything is observed, the numbers and durations of saves and queries.
    public func inspectionStatistics() throws -> [InspectionStatistic] {
        try file.fileStatistics() + queries.meter.statistics
    }

    /// Returns the versions of the model, the last saves, and the slow and repeated queries.
    public func inspectionReports() throws -> [InspectionReport] {
        try [file.versions(), file.lastSaves()] + queries.meter.reports
    }

    /// The actions "verify" and "backup".
    public var inspectionActions: [InspectionAction] {
        [ObjectDatabase.verification, ObjectDatabase.backup(of: path)]
    }

    /// Checks or copies the database, and blocks until that ends.
    @available(*, noasync, message: "This call blocks until the action ends. Call it on a thread of its own.")
    public func perform(
        _ action: InspectionAction,
        writingTo file: String?,
        progress: (StoreProgress) throws -> Void
    ) throws -> [InspectionFact] {
        let database = try ObjectDatabase(reading: path)
        defer { database.close() }
        return try database.perform(action, writingTo: file, progress: progress)
    }
}
#endif
