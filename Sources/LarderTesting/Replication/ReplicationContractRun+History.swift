import LarderReplication

extension ReplicationContractRun {
    func changesAreComplete() async throws {
        let start = try await snapshot().position
        var commits: [ReplicationCommit] = []
        for number in 0..<7 {
            // Every write is part of the change, even one that changes nothing.
            let commit = try await commit([("same", "1"), ("n", "\(number)"), ("absent", nil)])
            commits.append(commit)
            try await make(commit)
            _ = try await engine.commit(self.commit([("x", "1")], if: [Self.expecting("none", "n")]))
        }
        for limit in [1, 3, 100] {
            let changes = try await changes(after: start, by: limit)
            try require(
                changes.map(\.identifiers) == commits.map(\.identifiers)
                    && zip(changes, commits).allSatisfy { Set($0.writes) == Set($1.writes) },
                "all commits should be returned in order when read \(limit) at a time, but were \(changes)"
            )
            let middle = try await self.changes(after: changes[2].position, by: limit)
            try require(middle == Array(changes[3...]), "the changes after a position should begin with the next one")
        }
    }

    func pagesEndAtTheirLimits() async throws {
        let start = try await snapshot().position
        for number in 0..<4 { try await make(commit([("n", "\(number)")])) }
        let value = String(repeating: "x", count: 1_000)
        try await make(commit([("large", value)]))
        let all = try await changes(after: start)
        try require(all.count == 5, "all commits should be returned, but were \(all)")
        let small = all[0].byteCount
        for (limit, count) in [(2 * small, 2), (2 * small - 1, 1), (4 * small + 1_000, 4), (1, 1)] {
            try await requirePage(after: start, bytes: limit, count)
        }
        try await requirePage(after: all[3].position, bytes: 1, 1)
    }

    private func requirePage(after start: ReplicationPosition, bytes: Int, _ count: Int) async throws {
        let limit = ReplicationPageLimit(commits: 100, bytes: bytes)
        let page = try await engine.changes(after: start, limit: limit, replica: Self.replica)
        guard case .changes(let changes, _) = page else {
            return try require(false, "the history after \(start) should not be lost")
        }
        try require(changes.count == count, "\(count) changes should fit in \(bytes) bytes, not \(changes.count)")
    }

    func snapshotsAgreeWithChanges() async throws {
        try await make(commit([("a", "1"), ("b", "1")]))
        let before = try await self.entries()
        let snapshot = try await self.snapshot()
        try await make(commit([("a", "2"), ("b", nil), ("c", "3")]))
        var entries = Dictionary(uniqueKeysWithValues: before.map { ($0.key, $0.value) })
        for change in try await changes(after: snapshot.position) {
            for write in change.writes { entries[write.key] = write.value }
        }
        let later = try await self.snapshot()
        let after = try await self.entries()
        try require(
            entries == Dictionary(uniqueKeysWithValues: after.map { ($0.key, $0.value) }),
            "a snapshot and the changes after it should result in the next snapshot"
        )
        try require(try await changes(after: later.position).isEmpty, "no changes should follow the last commit")
        try require(snapshot.instant <= later.instant, "the engine's time should advance")
    }

    func foreignPositionsAreLost() async throws {
        try await make(commit([("a", "1")]))
        let position = try await make(commit([("a", "2")]))
        let foreign = [
            ReplicationPosition(revision: position.revision, token: position.token ^ 1),
            ReplicationPosition(revision: position.revision + 1000, token: position.token),
        ]
        for position in foreign {
            guard case .historyLost = try await Self.page(engine, position) else {
                return try require(false, "the history after the unknown position \(position) should be lost")
            }
        }
    }

    func trimmedHistoryIsLost() async throws {
        guard let trimHistory = store.trimHistory else { return }
        let start = try await snapshot().position
        for number in 0..<3 { try await make(commit([("n", "\(number)")])) }
        let end = try await snapshot().position
        try await trimHistory()
        guard case .historyLost = try await Self.page(engine, start) else {
            return try require(false, "a history that was trimmed should be lost")
        }
        try require(try await changes(after: end).isEmpty, "the end of the history should be known after trimming")
        try await requireEntries(["n": "2"], "after the history was trimmed")
        try await make(commit([("n", "3")]))
        try require(try await changes(after: end).count == 1, "commits after the trimming should be in the history")
    }

    func waitingEndsAfterACommit() async throws {
        let other = try await connect()
        let start = try await snapshot().position
        let waiting = Task { [engine] in
            while try await Self.isEmpty(engine, start) { try await engine.waitForChanges(after: start) }
        }
        try await make(commit([("a", "1")]), on: other)
        try await waiting.value

        let cancelled = Task { [engine] in
            let end = try await engine.snapshot { _ in }.position
            while true {
                try Task.checkCancellation()
                try await engine.waitForChanges(after: end)
            }
        }
        cancelled.cancel()
        guard case .failure = await cancelled.result else { return try require(false, "a canceled call should end") }
    }

    private static func isEmpty(_ engine: any ReplicationEngine, _ position: ReplicationPosition) async throws -> Bool {
        guard case .changes(let changes, _) = try await page(engine, position) else { return false }
        return changes.isEmpty
    }

    static func page(
        _ engine: any ReplicationEngine,
        _ position: ReplicationPosition
    ) async throws -> ReplicationPage {
        let limit = ReplicationPageLimit(commits: 10, bytes: 100_000)
        return try await engine.changes(after: position, limit: limit, replica: replica)
    }

    func identityIsStable() async throws {
        let identity = try await snapshot().identity
        try await make(commit([("a", "1")]))
        try require(
            try await connect().snapshot { _ in }.identity == identity,
            "two connections to one store should report the same identity"
        )
        try require(!identity.isEmpty, "the identity should not be empty")
    }
}
