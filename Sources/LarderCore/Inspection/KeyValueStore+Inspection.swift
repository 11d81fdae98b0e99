// What inspection tools display of every store. A store adds what it alone can tell.
extension KeyValueStore {
    /// Returns the number of entries, the facts of the store that keeps the entries, and what the store guarantees.
    public func inspectionFacts() throws -> [InspectionFact] {
        let own = ["entries", "guarantees", "limitation"]
        let base = try wrapped?.inspectionFacts().filter { !own.contains($0.name) } ?? []
        return try [InspectionFact("entries", String(entryCount()))] + base + guaranteeFacts
    }

    /// The guarantees and limitations that the store declares.
    package var guaranteeFacts: [InspectionFact] {
        let capabilities = capabilities
        let guarantees = [
            capabilities.survivesProcess ? "commits survive the process" : nil,
            capabilities.hasCrashAtomicTransactions ? "commits are whole or absent after a crash" : nil,
            capabilities.isSharedBetweenProcesses ? "processes share the store" : nil,
            capabilities.replicates ? "machines share the store" : nil,
        ].compactMap(\.self)
        let fact = InspectionFact("guarantees", guarantees.joined(separator: "; "))
        return (guarantees.isEmpty ? [] : [fact])
            + capabilities.limitations.map { InspectionFact("limitation", $0) }
    }

    /// Returns up to `limit` entries, formatted as rows and sorted by key.
    public func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow] {
        try entries(after: nil, prefix: prefix, limit: limit).map {
            InspectionRow(key: $0.key, kind: $0.value.kind.rawValue, value: $0.value.description)
        }
    }

    /// The channel of the store.
    public var inspectionIssues: IssueChannel? { issues }

    /// Returns the table "entries", which has the columns "key", "type" and "value".
    ///
    /// Entries can be sorted by key.
    public func inspectionTables() throws -> [InspectionTable] {
        var table = EntryInspection.uncountedTable(of: self)
        table.count = try entryCount()
        return [table]
    }

    /// Returns the table "entries" without counting the entries, or `nil` for another name.
    public func inspectionTable(named name: String) -> InspectionTable? {
        name == EntryInspection.table ? EntryInspection.uncountedTable(of: self) : nil
    }

    /// Returns the next entries, sorted by key.
    ///
    /// A page continues after a key, so that it neither repeats nor omits an entry because others were written meanwhile. A search ends
    /// early when the query's patience is over.
    ///
    /// - Parameter query: The query. The table is "entries", and the order is "key" or empty.
    /// - Returns: A page of records.
    /// - Throws: ``InspectionQueryError`` for a filter, another order or another table, or ``StoreError`` if the store can't be read.
    public func inspectionPage(_ query: InspectionQuery) throws -> InspectionPage {
        try EntryInspection(store: self, query: query).page()
    }

    /// Returns one entry, or `nil` if the store has no entry under `key`.
    public func inspectionRecord(_ key: String, in table: String) throws -> InspectionRecord? {
        guard table == EntryInspection.table else { return nil }
        // The first key with a prefix is the prefix itself. The page tells the expiry, which `get` does not.
        let page = try entryPage(EntryPageRequest(prefix: key, limit: 1))
        guard let entry = page.entries.first, entry.key.hasSameBytes(as: key) else { return nil }
        return InspectionRecord(entry)
    }

    /// Calls a closure with the changes of each commit, see ``observe(prefix:_:)``.
    ///
    /// A store that changes thousands of times a second is not slowed down by an observer that displays the changes: after 1,000 changed
    /// keys within a tenth of a second, the observation pauses for the rest of it, and the closure then receives
    /// ``InspectionEvent/missed``. Commits of other processes are looked for three times a second.
    public func observeForInspection(
        _ receive: @escaping @Sendable (InspectionEvent) -> Void
    ) throws -> StoreObservation? {
        InspectionFeed.observation(of: self, receive)
    }

    /// Returns the numbers of the store that keeps the entries.
    public func inspectionStatistics() throws -> [InspectionStatistic] { try wrapped?.inspectionStatistics() ?? [] }

    /// Returns the lists of the store that keeps the entries.
    public func inspectionReports() throws -> [InspectionReport] { try wrapped?.inspectionReports() ?? [] }

    /// The action "verify", and those of the store that keeps the entries.
    public var inspectionActions: [InspectionAction] {
        // A store that can't be opened has no actions.
        let base = (try? wrapped)?.inspectionActions ?? []
        return [.verify] + base.filter { $0.name != InspectionAction.verify.name }
    }

    /// Carries out one of ``inspectionActions``.
    @available(*, noasync, message: "This call blocks until the action ends. Call it on a thread of its own.")
    public func perform(
        _ action: InspectionAction,
        writingTo file: String?,
        progress: (StoreProgress) throws -> Void
    ) throws -> [InspectionFact] {
        if action.name == InspectionAction.verify.name {
            return try verification(telling: progress).inspectionFacts
        }
        return try wrapped?.perform(action, writingTo: file, progress: progress) ?? []
    }

    /// The store that keeps the entries of this store, or `nil` if this store keeps them itself.
    private var wrapped: (any KeyValueStore)? {
        get throws { try (self as? any WrappingStore)?.wrappedStore }
    }
}

extension InspectionAction {
    /// The action that reads and checks a whole store.
    package static let verify = InspectionAction("verify", "Reads and checks everything that is stored.")
    /// The action that rewrites the file of a store with only the current entries.
    package static let compact = InspectionAction(
        "compact",
        "Rewrites the file with only the current entries, which frees the space of replaced and removed ones.",
        isWriting: true
    )

    /// Returns the action that copies a store to a new file.
    package static func backup(_ path: String) -> InspectionAction {
        let name = path.split(separator: "/").last.map(String.init) ?? "backup"
        return InspectionAction("backup", "Copies the store to a new file, as it is at one moment.", fileName: name)
    }
}

extension StoreVerification {
    /// The result, with the first hundred problems.
    package var inspectionFacts: [InspectionFact] {
        let shown = problems.prefix(100).map { problem in
            let places = [problem.key.map { "key \($0.debugDescription)" }, problem.offset.map { "byte \($0)" }]
            let place = places.compactMap(\.self).joined(separator: ", ")
            return InspectionFact("problem", place.isEmpty ? problem.message : "\(problem.message) (\(place))")
        }
        return [
            InspectionFact("checked entries", String(checkedEntries)),
            InspectionFact("problems", String(problems.count)),
        ] + shown
    }
}
