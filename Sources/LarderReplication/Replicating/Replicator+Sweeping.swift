import LarderCore

extension Replicator {
    /// Removes expired entries from the cluster, by a commit that expects them to be absent or expired.
    ///
    /// - Returns: `.idle` if there were none, after noting when the next entry expires.
    /// - Throws: An error of the engine or the replica.
    func sweep() async throws -> ReplicationStep {
        guard try await findsHistory() else { return .idle }
        let keys = try await nextExpired()
        guard !keys.isEmpty else { return .idle }
        let swept = keys.map { Array($0.utf8) }
        let commit = ReplicationCommit(
            identifiers: [identifiers.next()],
            drawn: clock.known,
            expectations: swept.map { .value(nil, key: $0) },
            writes: swept.map { .init(nil, key: $0) }
        )
        switch try await calling({ [engine] in try await engine.commit(commit) }) {
        case .committed:
            expired.noteSuccess()
            return .advanced
        case .refused:
            // The clock here is ahead of the engine's, or an entry was renewed.
            expired.noteRefusal(of: keys)
            return .idle
        case .forgotten: return .idle
        case .unknown(let error):
            // Sending another commit at once would keep the engine busy in an outage.
            noteFailure()
            throw UnknownOutcome(underlying: error)
        }
    }

    /// Returns the keys of expired entries without pending writes, as many as one commit removes.
    ///
    /// If a listing finds none, the earliest expiry of all other entries is noted.
    private func nextExpired() async throws -> [String] {
        await beginChange()
        defer { endChange() }
        try queue.refresh(from: replica)
        let next = try expired.next(within: engine.limits, isExpired: isExpired)
        guard next.isEmpty, expired.needsListing(at: clock.time.monotonic) else { return next }
        try await list()
        return try expired.next(within: engine.limits, isExpired: isExpired)
    }

    /// Returns whether an entry has expired and has no pending write.
    private func isExpired(_ key: String) throws -> Bool {
        try replica.expiry(of: StoreKey(key)).map { isRemovable(key, $0, at: clock.now) } ?? false
    }

    private func isRemovable(_ key: String, _ expiry: ReplicationInstant, at now: ReplicationInstant) -> Bool {
        expiry <= now && queue.lastWriter(of: Array(key.utf8)) == nil
    }

    /// Finds the expired entries.
    private func list() async throws {
        let (start, now) = (clock.time.monotonic, clock.now)
        var keys: [String] = []
        var next: ReplicationInstant?
        for entry in try replica.base.entries(prefix: "") {
            guard let expiry = try replica.expiry(of: StoreKey(entry.key)) else { continue }
            if isRemovable(entry.key, expiry, at: now) {
                keys.append(entry.key)
            } else {
                next = next.map { min($0, expiry) } ?? expiry
            }
        }
        expired.noteListing(keys, from: start, to: clock.time.monotonic)
        if keys.isEmpty { try await noteEarliest(next) }
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
