import LarderCore

extension Replicator {
    /// The maximum number of expired entries that are removed in one commit.
    private static var mostSwept: Int { 50 }

    /// Removes expired entries from the cluster, by a commit that expects them to be absent or expired.
    ///
    /// - Returns: `.idle` if there were none, after noting when the next entry expires.
    /// - Throws: An error of the engine or the replica.
    func sweep() async throws -> ReplicationStep {
        let now = clock.now
        let (expired, next, counters) = try await expiredKeys(by: now)
        guard !expired.isEmpty else { return try await noteEarliest(next, counters) }
        let swept = expired.prefix(sweepsSingly ? 1 : min(Self.mostSwept, max(1, engine.limits.operations / 2)))
        sweepsSingly = false
        let commit = ReplicationCommit(
            identifiers: [identifiers.next()],
            drawn: clock.known,
            expectations: swept.map { .value(nil, key: $0) },
            writes: swept.map { .init(nil, key: $0) }
        )
        // If the clock here is ahead of the engine's, or an entry was renewed, the commit is refused, and the others are removed one by one.
        if case .refused = try await engine.commit(commit) {
            sweepsSingly = true
            return .idle
        }
        return .advanced
    }

    /// Returns the expired keys without pending writes, and the earliest expiry of all other entries as of the returned counters.
    private func expiredKeys(
        by now: ReplicationInstant
    ) async throws -> (expired: [[UInt8]], next: ReplicationInstant?, counters: Replica.Counters?) {
        await beginChange()
        defer { endChange() }
        try queue.refresh(from: replica)
        var expired: [[UInt8]] = []
        var next: ReplicationInstant?
        for entry in try replica.base.entries(prefix: "") {
            guard let expiry = try replica.expiry(of: StoreKey(entry.key)) else { continue }
            let key = Array(entry.key.utf8)
            if expiry <= now, queue.lastWriter(of: key) == nil {
                expired.append(key)
            } else {
                next = next.map { min($0, expiry) } ?? expiry
            }
        }
        // Begins elsewhere each time, so that one entry that can't be removed does not stop the others.
        if sweepsSingly, !expired.isEmpty {
            sweepStart = (sweepStart + 1) % expired.count
            expired = Array(expired[sweepStart...] + expired[..<sweepStart])
        }
        return (expired, next, queue.counters)
    }

    private func noteEarliest(
        _ next: ReplicationInstant?,
        _ counters: Replica.Counters?
    ) async throws -> ReplicationStep {
        // An entry of a pending write may have expired; it is swept after the write was confirmed.
        guard let counters, try replica.earliestExpiry() != next else { return .idle }
        var batch = StoreBatch()
        counters.expect(in: &batch)
        batch.write(next.map { .int($0.milliseconds) }, for: ReplicaKeys.earliest)
        _ = try await replica.base.commit(batch, durability: .buffered)
        try expiries.refresh(from: replica)
        return .idle
    }
}
