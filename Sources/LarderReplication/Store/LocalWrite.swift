import LarderCore

/// A batch that is written to the replica and queued for the cluster in one local commit.
///
/// The caller commits each batch from ``next()`` to the replica until that succeeds or ``isRefused()`` returns `true`.
struct LocalWrite {
    private let replica: Replica
    private let batch: StoreBatch
    /// The commit to queue, without its number, or `nil` if the batch writes nothing that replicates.
    private let pending: PendingCommit?
    private let clock: EngineClock
    private let keys: [StoreKey]
    private let limits: (commits: Int, bytes: Int)?
    private let gate: WriteGate
    private let expiry: ReplicationInstant?
    private let expiries: Expiries
    /// Adds writes of records to each attempt.
    private let adding: (@Sendable (inout StoreBatch) throws -> Void)?
    private var counters: Replica.Counters?
    /// The number of visible changes that an attempt without a pending commit expects.
    private var visible: Int64?
    private var attempts = 0
    private static let mostAttempts = 10_000
    /// The time after which the time that another process has heard is looked up again.
    private static let clockLife = Duration.seconds(60)

    /// Creates the write of a batch.
    ///
    /// - Parameters:
    ///   - batch: The writes and expectations.
    ///   - store: The store to write to.
    ///   - expiry: The instant at which all values expire.
    ///   - isLimited: Whether the bounds of the queue apply.
    ///   - adding: A closure that adds writes of records to each attempt.
    /// - Throws: `StoreError` if the batch contains an invalid key or value, or exceeds the limits of the engine.
    init(
        _ batch: StoreBatch,
        in store: ReplicatedStore,
        until expiry: ReplicationInstant? = nil,
        isLimited: Bool = true,
        adding: (@Sendable (inout StoreBatch) throws -> Void)? = nil
    ) throws {
        replica = store.replica
        let options = store.options
        limits = isLimited ? (commits: options.maximumPending, bytes: options.maximumPendingBytes) : nil
        gate = store.gate
        expiries = store.expiries
        self.expiry = expiry
        self.batch = batch
        self.adding = adding
        try batch.validate()
        let (writes, keys) = try ReplicationCommit.writes(of: batch, until: expiry)
        self.keys = keys
        clock = store.clock
        guard !writes.isEmpty else {
            pending = nil
            return
        }
        let commit = PendingCommit(
            number: 0,
            identifier: store.identifiers.next(),
            drawn: .machine(0),
            expectations: ReplicationCommit.expectations(of: batch),
            writes: writes
        )
        try commit.commit.check(store.engine.limits, keys)
        pending = commit
    }

    /// Returns the next batch to commit to the replica, or `nil` if an expectation doesn't hold because a value has expired.
    mutating func next() throws -> StoreBatch? {
        attempts += 1
        guard attempts <= Self.mostAttempts else { throw StoreError.busyReplica }
        gate.pass()
        guard var attempt = try expiries.isDue ? expectingUnexpired() : batch else { return nil }
        guard var pending else {
            try adding?(&attempt)
            guard !batch.writes.isEmpty else { return attempt }
            let visible = try replica.visible()
            self.visible = visible
            replica.expectVisible(visible, in: &attempt)
            attempt.set(.int(visible + 1), for: ReplicaKeys.visible)
            return attempt
        }
        let counters = try replica.counters()
        self.counters = counters
        try checkRoom(counters)
        counters.expect(in: &attempt)
        attempt.set(.pair(counters.next + 1, counters.appended + pending.byteCount), for: ReplicaKeys.next)
        // Read after the counters: without a cursor, the first snapshot is yet to come, and will add the time.
        // A process that does not replicate learns only here how late it is; what it draws must not count as forgotten.
        if clock.isOutdated(after: Self.clockLife), let cursor = try replica.cursor() { clock.restore(cursor) }
        pending.drawn = clock.known.map { .engine($0) } ?? .machine(clock.wall)
        attempt.set(record: pending.encoded, for: ReplicaKeys.pending(counters.next))
        for key in keys {
            let place = ReplicaKeys.confirmed(key)
            guard try replica.base.get(place) == nil else { continue }
            attempt.set(record: ConfirmedRecord(try replica.visible(key)).encoded, for: place)
        }
        let isSet = pending.writes.map { $0.value != nil }
        try replica.note(zip(keys, isSet).map { ($0, $1 ? expiry : nil) }, in: &attempt)
        try replica.note(keys, in: &attempt)
        try adding?(&attempt)
        return attempt
    }

    private func checkRoom(_ counters: Replica.Counters) throws {
        guard let limits else { return }
        let start = try replica.start()
        guard counters.next - start.first < limits.commits else { throw StoreError.queueFull(commits: limits.commits) }
        guard counters.appended - start.removed < limits.bytes else { throw StoreError.queueFull(bytes: limits.bytes) }
    }

    /// Returns the batch with expectations about what the replica holds, including expired values, or `nil` if one doesn't hold.
    private func expectingUnexpired() throws -> StoreBatch? {
        var result = StoreBatch()
        result.origin = batch.origin
        for write in batch.writes { result.write(write.value, for: write.key) }
        for expectation in batch.expectations {
            switch expectation {
            case .value(let expected, let key):
                guard try isExpired(key) else {
                    result.expect(expected, at: key)
                    continue
                }
                guard expected == nil else { return nil }
                result.expect(try replica.base.get(key), at: key)
            case .entries(let expected, let prefix):
                let held = try replica.base.entries(prefix: prefix)
                let unexpired = try held.filter { try !isExpired(StoreKey($0.key)) }
                guard unexpired == expected else { return nil }
                result.expect(held, prefix: prefix)
            }
        }
        return result
    }

    private func isExpired(_ key: StoreKey) throws -> Bool {
        try replica.expiry(of: key).map { $0 <= expiries.now } ?? false
    }

    /// Returns whether the replica did not take the last batch because of an expectation of the caller.
    func isRefused() throws -> Bool {
        // The counters never return to an earlier value, so if they are unchanged, they were when the batch was judged.
        if let visible { return try replica.visible() == visible }
        guard let counters else { return true }
        return try replica.counters() == counters
    }
}

extension Replica {
    /// Adds the reserved keys among `keys` to the list of those that replicate.
    func note(_ keys: some Sequence<StoreKey>, in batch: inout StoreBatch) throws {
        let written = keys.filter(\.isReserved)
        guard !written.isEmpty else { return }
        let known = try reservedKeys()
        let new = Set(written).subtracting(known)
        guard !new.isEmpty else { return }
        let names = (known + new.sorted()).map { StoredValue.string($0.text) }
        batch.expect(known.isEmpty ? nil : .array(known.map { .string($0.text) }), at: ReplicaKeys.reserved)
        batch.set(.array(names), for: ReplicaKeys.reserved)
    }
}

extension ReplicationCommit {
    /// Returns the last write of each key of a batch that replicates, and the keys in the same order.
    static func writes(
        of batch: StoreBatch,
        until expiry: ReplicationInstant? = nil
    ) throws -> (writes: [Write], keys: [StoreKey]) {
        var places: [StoreKey: Int] = [:]
        var writes: [Write] = []
        var keys: [StoreKey] = []
        for write in batch.writes where write.key.isReplicated {
            let value = try write.value?.encoded()
            let new = Write(value, key: write.key.bytes, expiry: value == nil ? nil : expiry)
            if let place = places[write.key] {
                writes[place] = new
            } else {
                places[write.key] = writes.count
                writes.append(new)
                keys.append(write.key)
            }
        }
        return (writes, keys)
    }

    /// Returns the expectations of a batch about keys that replicate.
    static func expectations(of batch: StoreBatch) -> [Expectation] {
        batch.expectations.compactMap { expectation in
            switch expectation {
            case .value(let value, let key):
                return key.isReplicated ? .value(value?.encodedForComparison, key: key.bytes) : nil
            case .entries(let entries, let prefix):
                let pairs = entries.map { Pair(key: Array($0.key.utf8), value: $0.value.encodedForComparison) }
                return .entries(pairs, prefix: Array(prefix.utf8))
            }
        }
    }

    /// Checks that this commit is within the limits of an engine.
    func check(_ limits: StoreLimits, _ keys: [StoreKey]) throws {
        guard operationCount <= limits.operations else {
            throw StoreError.batchTooLarge("operations", limits.operations)
        }
        guard byteCount <= limits.bytes else { throw StoreError.batchTooLarge("bytes", limits.bytes) }
        for key in keys { try limits.check(key) }
        // Every key is within the limits of every store.
        guard limits.keyLength < StoreKey.maximumLength || !limits.allowsEmptyKeys else { return }
        for expectation in expectations {
            switch expectation {
            case .value(_, let key): try limits.check(StoreKey(replicated: key))
            case .entries(let entries, _): for entry in entries { try limits.check(StoreKey(replicated: entry.key)) }
            }
        }
    }
}

extension StoreLimits {
    /// Checks that an entry may have this key.
    func check(_ key: StoreKey) throws {
        let length = key.length
        if length == 0, !allowsEmptyKeys { throw StoreError.unsupportedKey(key, "it is empty") }
        if length > keyLength {
            throw StoreError.unsupportedKey(key, "it has \(length) bytes, more than the maximum of \(keyLength)")
        }
    }
}

extension StoredValue {
    /// The bytes that an engine keeps for this value.
    ///
    /// The bytes are empty, and differ from those of every stored value, if no store can hold the value.
    fileprivate var encodedForComparison: [UInt8] { (try? encoded()) ?? [] }
}
