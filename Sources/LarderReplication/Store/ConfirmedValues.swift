public import LarderCore

/// The values that the cluster has confirmed and that have been applied to a replica, without pending writes.
public struct ConfirmedValues: Sendable {
    let replica: Replica
    let expiries: Expiries

    /// Returns the confirmed value under `key`, or `nil` if there is no value.
    ///
    /// - Parameter key: A key that passes `StoreKey.validate()`.
    /// - Returns: The value, or `nil`.
    /// - Throws: `StoreError` if the key is invalid or the replica can't be read.
    public func get(_ key: StoreKey) throws -> StoredValue? {
        try key.validate()
        return try replica.consistently {
            guard let entry = try replica.confirmed(key), isPresent(entry.expiry) else { return nil }
            return try StoredValue(decoding: entry.value)
        }
    }

    /// Returns the confirmed entries whose keys begin with exactly the bytes of `prefix`, sorted by key bytes.
    ///
    /// - Parameter prefix: The prefix of the keys to list. An empty string lists all keys.
    /// - Returns: The entries at one position of the cluster's order.
    /// - Throws: `StoreError` if the replica can't be read.
    /// - Complexity: O(*n* + *m*) in the number of entries and of pending commits.
    public func entries(prefix: String = "") throws -> [StoreEntry] {
        // The pending writes are read last. A local write after that leaves what was listed under its key: the confirmed value.
        try replica.withinOneTurn {
            let visible = try replica.base.entries(prefix: prefix)
            let mayExpire = expiries.isDue
            let present = try visible.filter { entry in
                try !mayExpire || isPresent(replica.expiry(of: StoreKey(entry.key)))
            }
            var entries = StoredDictionary(present.lazy.map { ($0.key, $0.value) })
            for key in try replica.keysWithPendingWrites() where !key.isReserved {
                let text = key.text
                guard text.utf8.starts(with: prefix.utf8), let record = try replica.confirmedRecord(key) else {
                    continue
                }
                let entry = record.entry.flatMap { isPresent($0.expiry) ? $0 : nil }
                entries[text] = try entry.map { try StoredValue(decoding: $0.value) }
            }
            return entries.map { StoreEntry(key: $0.key, value: $0.value) }
        }
    }

    private func isPresent(_ expiry: ReplicationInstant?) -> Bool { expiry.map { $0 > expiries.now } ?? true }

    /// The position in the cluster's order up to which commits have been applied, or `nil` before the first contact.
    ///
    /// - Throws: `StoreError` if the replica can't be read.
    public var position: ReplicationPosition? { get throws { try replica.cursor()?.position } }
}

extension Replica {
    private static var mostAttempts: Int { 1_000 }

    /// Calls `body` until no local commit has been made meanwhile.
    ///
    /// Use this method for a few reads only, because a program may write all the time.
    func consistently<Result>(_ body: () throws -> Result) throws -> Result { try unchanged(counters, body) }

    /// Calls `body` until no commit of the cluster was applied or rolled back meanwhile.
    ///
    /// Local writes may be made, each of which adds a pending commit and the records of the confirmed values.
    func withinOneTurn<Result>(_ body: () throws -> Result) throws -> Result {
        try unchanged({ try counters().turn }, body)
    }

    private func unchanged<State: Equatable, Result>(
        _ state: () throws -> State,
        _ body: () throws -> Result
    ) throws -> Result {
        for _ in 0..<Self.mostAttempts {
            let before = try state()
            let result = Swift.Result { try body() }
            if try state() == before { return try result.get() }
        }
        throw StoreError.busyReplica
    }

    /// Returns the keys that pending commits write.
    func keysWithPendingWrites() throws -> Set<StoreKey> {
        var keys: Set<StoreKey> = []
        let first = try first()
        for number in first..<max(first, try counters().next) {
            guard let commit = try pending(number) else { continue }
            for write in commit.writes { keys.insert(try StoreKey(replicated: write.key)) }
        }
        return keys
    }
}
