import LarderCore

// What the tests of the store compare with the history of the cluster.
extension ReplicatedStore {
    /// The commits in the queue, in order.
    package func queued() throws -> [ReplicationCommit] {
        let (first, next) = (try replica.first(), try replica.counters().next)
        return try (first..<max(first, next)).compactMap { try replica.pending($0)?.commit }
    }

    /// The number of the next commit to queue, and the commit before it if it is still in the queue.
    package func endOfQueue() throws -> (next: Int64, last: ReplicationCommit?) {
        let next = try replica.counters().next
        return (next, next == 0 ? nil : try replica.pending(next - 1)?.commit)
    }

    /// The identifiers of the rejected commits, with the reasons.
    package func rejectedIdentifiers() throws -> [(ReplicationCommit.Identifier, RejectedCommit.Reason)] {
        try replica.rejectedList().numbers.compactMap { number in
            try replica.rejected(number).map { ($0.commit.identifier, $0.reason) }
        }
    }

    /// The entries that reads see, including those that have expired.
    package func storedEntries() throws -> [ReplicationSnapshot.Entry] {
        try base.entries(prefix: "").compactMap { entry in
            try snapshotEntry(replica.visible(StoreKey(entry.key)), entry.key)
        }
    }

    /// The confirmed entries, including those that have expired.
    ///
    /// - Parameter queued: The commits in the queue.
    /// - Returns: The entries, sorted by key.
    /// - Throws: `StoreError` if the replica can't be read.
    package func storedConfirmedEntries(_ queued: [ReplicationCommit]) throws -> [ReplicationSnapshot.Entry] {
        let written = try queued.flatMap(\.writes).map { try StoreKey(replicated: $0.key) }
        let keys = try Set(base.entries(prefix: "").map { StoreKey($0.key) }).union(written)
        return try keys.sorted().compactMap { try snapshotEntry(replica.confirmed($0), $0.text) }
    }

    private func snapshotEntry(_ entry: ReplicaEntry?, _ key: String) -> ReplicationSnapshot.Entry? {
        entry.map { .init(key: Array(key.utf8), value: $0.value, expiry: $0.expiry) }
    }

    /// The time of the engine that decides which entries are hidden, after reading what other processes know about expiries.
    package func currentTime() throws -> ReplicationInstant {
        try expiries.refresh(from: replica)
        return expiries.now
    }
}
