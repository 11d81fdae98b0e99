import LarderCore
import Synchronization

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
        // Another step may have applied the same commits.
        guard try replica.cursor() == cursor else { return .conflicted }
        try queue.refresh(from: replica)
        var rebase = Rebase()
        for change in changes {
            for write in change.writes { rebase.confirm(write.entry, under: write.key) }
            rebase.removed.formUnion(change.identifiers.compactMap(queue.number(of:)))
        }
        // A commit that the engine placed at or before the cursor of that time is part of what was applied already: the cursor is still in
        // the history, or this call would not have been made.
        for (identifier, decision) in decided where decision.position.revision <= decision.applied.revision {
            if let number = queue.number(of: identifier) { rebase.removed.insert(number) }
        }
        let next = ReplicaCursor(
            position: changes.last?.position ?? cursor.position,
            instant: instant,
            clock: clock.wall
        )
        if changes.isEmpty, rebase.removed.isEmpty {
            doubt(decided, upTo: nil)
            return try await keepTime(next, cursor)
        }
        var batch = try rebase.batch(queue, replica)
        batch.expect(.data(cursor), at: ReplicaKeys.cursor)
        batch.set(record: next.encoded, for: ReplicaKeys.cursor)
        guard try await make(batch, rebase) else { return .conflicted }
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

    /// Makes the local commit of a rebase, and returns whether it was made.
    func make(_ batch: StoreBatch, _ rebase: Rebase) async throws -> Bool {
        let counters = queue.counters
        do {
            guard try await replica.base.commit(batch, durability: .buffered) else { return false }
        } catch {
            // The commit may have been made, if only its sync failed.
            queue.forget()
            throw error
        }
        for number in rebase.removed {
            guard let identifier = queue[number]?.identifier else { continue }
            decided[identifier] = nil
            single.remove(identifier)
        }
        // `begin` may have emptied the queue during the commit.
        if queue.counters == counters { queue.remove(rebase.removed) } else { queue.forget() }
        try expiries.refresh(from: replica)
        return true
    }

    // MARK: - Snapshots

    /// Replaces the confirmed values by a snapshot of the cluster, in one local commit.
    ///
    /// Pending commits stay, and are judged again.
    func loadSnapshot(replacing cursor: ReplicaCursor?) async throws -> ReplicationStep {
        let received = Mutex<[ReplicationSnapshot.Entry]>([])
        let snapshot = try await engine.snapshot { part in received.withLock { $0 += part } }
        let entries = received.withLock(\.self).sorted { $0.key.lexicographicallyPrecedes($1.key) }
        clock.hear(snapshot.instant)
        let header = try replica.header()
        guard header.map({ $0.identity == snapshot.identity }) ?? true else {
            throw StoreError.otherCluster(replica.base, engine.name)
        }
        await beginChange()
        defer { endChange() }
        try queue.refresh(from: replica)
        var rebase = Rebase()
        var missing = Set(try confirmedKeys())
        for entry in entries {
            missing.remove(entry.key)
            let new = ReplicaEntry(entry.value, until: entry.expiry)
            if try replica.confirmed(StoreKey(replicated: entry.key)) != new { rebase.confirm(new, under: entry.key) }
        }
        for key in missing.sorted(by: { $0.lexicographicallyPrecedes($1) }) where try isConfirmed(key) {
            rebase.confirm(nil, under: key)
        }
        var batch = try rebase.batch(queue, replica)
        batch.expect(cursor.map { .data($0) }, at: ReplicaKeys.cursor)
        let next = ReplicaCursor(position: snapshot.position, instant: snapshot.instant, clock: clock.wall)
        batch.set(record: next.encoded, for: ReplicaKeys.cursor)
        if header == nil {
            let header = ReplicaHeader(identity: snapshot.identity, replica: newReplica())
            batch.set(record: header.encoded, for: ReplicaKeys.header)
        }
        // The first contact. Later commits have a time, so one without it can't have been sent.
        for var commit in queue.inOrder where commit.drawn == nil && cursor == nil {
            commit.drawn = snapshot.instant
            batch.set(record: commit.encoded, for: ReplicaKeys.pending(commit.number))
        }
        // What the engine has said about pending commits may belong to the history that was lost.
        decided = [:]
        guard try await make(batch, rebase) else { return .conflicted }
        queue.forget()
        return .advanced
    }

    /// The keys that may have a confirmed value.
    private func confirmedKeys() throws -> [[UInt8]] {
        try replica.base.entries(prefix: "").map { Array($0.key.utf8) } + Array(queue.keys)
            + replica.reservedKeys().map(\.bytes)
    }

    private func isConfirmed(_ key: [UInt8]) throws -> Bool {
        try replica.confirmed(StoreKey(replicated: key)) != nil
    }
}
