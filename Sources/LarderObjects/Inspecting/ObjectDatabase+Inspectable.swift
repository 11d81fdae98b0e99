#if Objects
package import LarderCore
internal import LarderFiles

extension ObjectDatabase: InspectedSource {}

extension ObjectDatabase: Inspectable {
    /// The name of the action that checks a database.
    static let verification = InspectionAction(
        "verify",
        "Checks the whole file, every reference and every value against the model in the file."
    )

    package var inspectionName: String { path }
    package var inspectionKind: String { "object database" }
    package var inspectionRole: InspectionRole { .objects }

    package func inspectionFacts() throws -> [InspectionFact] {
        let facts = try facts(health: knowledge.health, file: path)
        guard untraced != nil else { return facts }
        return facts + [InspectionFact("limitation", "The content is that of the moment in which the file was opened.")]
    }

    package func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow] {
        try rows(prefix: prefix, limit: limit)
    }

    package func inspectionTables() throws -> [InspectionTable] { try tables() }
    package func inspectionTable(named name: String) throws -> InspectionTable? { try table(named: name) }
    package func inspectionPage(_ query: InspectionQuery) throws -> InspectionPage { try page(query) }
    package func inspectionPlan(_ query: InspectionQuery) throws -> InspectionPlan? { try plan(query) }

    package func inspectionRecord(_ key: String, in table: String) throws -> InspectionRecord? {
        try record(key, in: table)
    }

    package func observeForInspection(
        _ receive: @escaping @Sendable (InspectionEvent) -> Void
    ) throws -> StoreObservation? {
        guard untraced == nil, let follower = try SaveFollower(self, receive) else { return nil }
        let watch = try watchingSaves { follower.noteSave() }
        return StoreObservation {
            watch.end()
            follower.end()
        }
    }

    package func inspectionStatistics() throws -> [InspectionStatistic] { try fileStatistics() }

    package func inspectionReports() throws -> [InspectionReport] {
        [
            try versions(), try lastSaves(),
            InspectionReport(
                "Slow queries",
                note: "Queries are measured in the program that runs them. Add an Inspector to the program.",
                columns: [],
                rows: []
            ),
        ]
    }

    package var inspectionActions: [InspectionAction] { [Self.verification, Self.backup(of: path)] }

    package func perform(
        _ action: InspectionAction,
        writingTo file: String?,
        progress: (StoreProgress) throws -> Void
    ) throws -> [InspectionFact] {
        switch action.name {
        case Self.verification.name:
            // The check may take minutes, so it does not hold the connection that reads pages.
            let found = try withOtherConnection { try $0.verify(deep: true, progress: progress) }
            return [
                InspectionFact("objects checked", String(found.checkedEntries)),
                InspectionFact("problems", String(found.problems.count)),
            ]
                + found.problems.prefix(100).map {
                    InspectionFact("problem", ($0.key.map { $0 + ": " } ?? "") + $0.message)
                }
        case Self.backup(of: path).name:
            guard let file else {
                throw InspectionQueryError("A backup needs the path of a new file. Choose one.")
            }
            try withOtherConnection { try $0.backup(to: file, progress: progress) }
            return [InspectionFact("file", file), InspectionFact("file bytes", String(FileSizes(of: file).database))]
        default: throw InspectionQueryError("The database has no action \(action.name). Choose verify or backup.")
        }
    }

    /// Returns the action that copies a database.
    static func backup(of path: String) -> InspectionAction {
        InspectionAction(
            "backup",
            "Writes a checked copy of the database to a new file, even while programs use the database.",
            fileName: FilePath.name(of: path)
        )
    }
}

extension InspectedSource {
    /// The sizes of the files and the number of free pages.
    func fileStatistics() throws -> [InspectionStatistic] {
        let sizes = FileSizes(of: path)
        let free = try reading { try $0.integers("PRAGMA freelist_count").first ?? 0 }
        return [
            InspectionStatistic("file bytes", Double(sizes.database), .gauge, .bytes),
            InspectionStatistic("log bytes", Double(sizes.log), .gauge, .bytes),
            InspectionStatistic("free pages", Double(free)),
        ]
    }
}
#endif
