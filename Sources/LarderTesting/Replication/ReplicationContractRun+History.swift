import LarderReplication

extension ReplicationContractRun {
    func changesAreComplete() async throws {
        let start = try await engine.snapshot().position
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

    func snapshotsAgreeWithChanges() async throws {
        try await make(commit([("a", "1"), ("b", "1")]))
        let snapshot = try await engine.snapshot()
        try await make(commit([("a", "2"), ("b", nil), ("c", "3")]))
        var entries = Dictionary(uniqueKeysWithValues: snapshot.entries.map { ($0.key, $0.value) })
        for change in try await changes(after: snapshot.position) {
            for write in change.writes { entries[write.key] = write.value }
        }
        let later = try await engine.snapshot()
        try require(
            entries == Dictionary(uniqueKeysWithValues: later.entries.map { ($0.key, $0.value) }),
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
            guard case .historyLost = try await engine.changes(after: position, limit: 10) else {
                return try require(false, "the history after the unknown position \(position) should be lost")
            }
        }
    }

    func waitingEndsAfterACommit() async throws {
        let other = try await connect()
        let start = try await engine.snapshot().position
        let waiting = Task { [engine] in
            while try await Self.isEmpty(engine, start) { try await engine.waitForChanges(after: start) }
        }
        try await make(commit([("a", "1")]), on: other)
        try await waiting.value

        let cancelled = Task { [engine] in
            let end = try await engine.snapshot().position
            while true {
                try Task.checkCancellation()
                try await engine.waitForChanges(after: end)
            }
        }
        cancelled.cancel()
        guard case .failure = await cancelled.result else { return try require(false, "a canceled call should end") }
    }

    private static func isEmpty(_ engine: any ReplicationEngine, _ position: ReplicationPosition) async throws -> Bool {
        guard case .changes(let changes, _) = try await engine.changes(after: position, limit: 1) else { return false }
        return changes.isEmpty
    }

    func identityIsStable() async throws {
        let identity = try await engine.snapshot().identity
        try await make(commit([("a", "1")]))
        try require(
            try await connect().snapshot().identity == identity,
            "two connections to one store should report the same identity"
        )
        try require(!identity.isEmpty, "the identity should not be empty")
    }
}
