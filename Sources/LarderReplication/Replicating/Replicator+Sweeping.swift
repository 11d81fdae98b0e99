import LarderCore

extension Replicator {
    /// The maximum number of expired entries that are removed in one commit.
    private static var mostSwept: Int { 50 }

    /// Removes expired entries from the cluster, by a commit that expects them to be absent or expired.
    ///
    /// - Returns: `.idle` if there were none, after noting when the next entry expires.
    /// - Throws: An error of the engine or the replica.
    func sweep() async throws -> ReplicationStep {
        guard try await findsHistory() else { return .idle }
        let expired = try await expiredKeys(by: clock.now)
        guard !expired.isEmpty else { return .idle }
        let swept = expired.prefix(sweepsSingly ? 1 : min(Self.mostSwept, max(1, engine.limits.operations / 2)))
        sweepsSingly = false
        let commit = ReplicationCommit(
            identifiers: [identifiers.next()],
            drawn: clock.known,
            expectations: swept.map { .value(nil, key: $0) },
            writes: swept.map { .init(nil, key: $0) }
        )
        // If the clock here is ahead of the engine's, or an entry was renewed, the commit is refused, and the others are removed one by one.
        switch try await calling({ [engine] in try await engine.commit(commit) }) {
        case .committed: return .advanced
        case .refused:
            sweepsSingly = true
            return .idle
        case .forgotten: return .idle
        case .unknown(let error):
            // Sending another commit at once would keep the engine busy in an outage.
            noteFailure()
            throw UnknownOutcome(underlying: error)
        }
    }

    /// Returns the expired keys without pending writes.
    ///
    /// If there are none, the earliest expiry of all other entries is noted.
    private func expiredKeys(by now: ReplicationInstant) async throws -> [[UInt8]] {
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
        if expired.isEmpty { try await noteEarliest(next) }
        return expired
    }

    /// Stores the instant before which no entry expires, as of the queue's counters.
    private func noteEarliest(_ next: ReplicationInstant?) async throws {
        // An entry of a pending write may have expired; it is swept after the write was confirmed.
        guard let counters = queue.counters, try replica.earliestExpiry() != next else { return }
        var batch = StoreBatch()
        counters.expect(in: &batch)
        // A writer that has compared its expiry with the former bound must compare it again.
        batch.set(.int(counters.turn + 1), for: ReplicaKeys.turn)
        batch.write(next.map { .int($0.milliseconds) }, for: ReplicaKeys.earliest)
        let isMade = try await replica.base.commit(batch, durability: .buffered)
        if isMade, queue.counters == counters { queue.remove([]) } else { queue.forget() }
        try expiries.refresh(from: replica)
    }
}
