import LarderCore

extension Replicator {
    /// Applies commits of the cluster, removes the pending commits among them, and moves the cursor, in one local commit.
    func apply(
        _ changes: [ReplicationChange],
        after cursor: ReplicaCursor,
        at instant: ReplicationInstant,
        _ decided: [ReplicationCommit.Identifier: Decision]
    ) async throws -> ReplicationStep {
        await beginChange()
        defer { endChange() }
        let next = ReplicaCursor(
            position: changes.last?.position ?? cursor.position,
            instant: instant,
            clock: clock.wall
        )
        var isUnchanged = false
        let isMade = try await make {
            // Another step may have applied the same commits.
            guard try replica.cursor() == cursor else { return nil }
            var rebase = Rebase()
            rebase.awaited = awaited.awaited(in: changes)
            for change in changes {
                for write in change.writes { rebase.confirm(write.entry, under: write.key) }
                rebase.removed.formUnion(change.identifiers.compactMap(queue.number(of:)))
            }
            // A commit that the engine placed at or before the cursor of that time is part of what was applied already: the cursor has since
            // moved only along the history, and is still part of it, or this call would not have been made.
            for (identifier, decision) in decided
            where decision.leaps == leaps && decision.position.revision <= decision.applied.revision {
                if let number = queue.number(of: identifier) { rebase.removed.insert(number) }
            }
            isUnchanged = changes.isEmpty && rebase.removed.isEmpty
            guard !isUnchanged else { return nil }
            var batch = try rebase.batch(queue, replica)
            batch.expect(.data(cursor), at: ReplicaKeys.cursor)
            batch.set(record: next.encoded, for: ReplicaKeys.cursor)
            return (rebase, batch)
        }
        if isUnchanged {
            doubt(decided, upTo: nil)
            return try await keepTime(next, cursor)
        }
        guard isMade else { return .conflicted }
        follow(to: next.position)
        doubt(decided, upTo: changes.isEmpty ? nil : next.position.revision)
        return .advanced
    }

    /// Forgets that commits were made which the history should contain by now, so that they are sent again.
    ///
    /// A failover has lost them. If the history was only read from a server that is behind, sending them again changes nothing.
    ///
    /// - Parameters:
    ///   - decided: What was decided before the history was read.
    ///   - revision: The end of the part that was read, or `nil` if that is the end of the history.
    private func doubt(_ decided: [ReplicationCommit.Identifier: Decision], upTo revision: UInt64?) {
        for (identifier, decision) in decided {
            if let revision, decision.position.revision > revision { continue }
            if self.decided[identifier]?.position == decision.position { self.decided[identifier] = nil }
        }
    }

    /// The interval at which the engine's time is stored although nothing has changed, in milliseconds.
    private static var timeInterval: Int64 { 10_000 }

    /// Stores the engine's time, which other processes and later ones need, if the stored one is old.
    private func keepTime(_ next: ReplicaCursor, _ cursor: ReplicaCursor) async throws -> ReplicationStep {
        if abs(next.clock - cursor.clock) >= Self.timeInterval {
            var batch = StoreBatch()
            batch.expect(.data(cursor), at: ReplicaKeys.cursor)
            batch.set(record: next.encoded, for: ReplicaKeys.cursor)
            _ = try await replica.base.commit(batch, durability: .buffered)
        }
        return .idle
    }
}
