import LarderCore

/// A change of the confirmed state, of the queue, or of both, from which the visible values follow.
struct Rebase {
    /// The new confirmed values, `nil` for removed keys, in the order in which they were first written.
    private(set) var confirmed: [(key: [UInt8], entry: ReplicaEntry?)] = []
    private var places: [[UInt8]: Int] = [:]
    /// The numbers of the pending commits that leave the queue.
    var removed: Set<Int64> = []
    /// The commits among the applied ones that callers of this instance await.
    var awaited: [ReplicationCommit.Identifier] = []

    init() {}

    /// Creates the change of any number of keys, to which no other changes are added.
    ///
    /// - Parameter confirmed: The new confirmed values under keys that are all different.
    init(distinct confirmed: [(key: [UInt8], entry: ReplicaEntry?)]) { self.confirmed = confirmed }

    mutating func confirm(_ entry: ReplicaEntry?, under key: [UInt8]) {
        if let place = places[key] {
            confirmed[place].entry = entry
        } else {
            places[key] = confirmed.count
            confirmed.append((key, entry))
        }
    }

    /// Returns the local commit that makes this change.
    ///
    /// The commit expects the counters as of which `queue` is complete.
    func batch(_ queue: PendingQueue, _ replica: Replica) throws -> StoreBatch {
        guard let counters = queue.counters else { throw StoreError.busyReplica }
        var batch = StoreBatch()
        batch.origin = .cluster
        counters.expect(in: &batch)
        var changesVisible = false
        var others = Set<[UInt8]>()
        var removedBytes: Int64 = 0
        let confirmedKeys = removed.isEmpty ? [] : Set(confirmed.lazy.map(\.key))
        for number in removed.sorted() {
            guard let commit = queue[number] else { continue }
            batch.remove(ReplicaKeys.pending(number))
            removedBytes += commit.byteCount
            for write in commit.writes where !confirmedKeys.contains(write.key) { others.insert(write.key) }
        }
        var expiries: [(key: StoreKey, expiry: ReplicationInstant?)] = []
        let keys = try confirmed.map { try StoreKey(replicated: $0.key) }
        for (key, (bytes, entry)) in zip(keys, confirmed) {
            if try write(.some(entry), under: bytes, key, queue, replica, &batch, &expiries) { changesVisible = true }
        }
        for bytes in others.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let key = try StoreKey(replicated: bytes)
            if try write(nil, under: bytes, key, queue, replica, &batch, &expiries) { changesVisible = true }
        }
        try replica.note(expiries, in: &batch)
        if !removed.isEmpty {
            let first = queue.firstNumber(without: removed)
            batch.set(.pair(first, try replica.start().removed + removedBytes), for: ReplicaKeys.first)
        }
        batch.set(.int(counters.turn + 1), for: ReplicaKeys.turn)
        if changesVisible {
            let visible = try replica.visible()
            replica.expectVisible(visible, in: &batch)
            batch.set(.int(visible + 1), for: ReplicaKeys.visible)
        }
        try replica.note(keys, in: &batch)
        return batch
    }

    /// Adds the writes for one key, and returns whether the value that reads see changes.
    ///
    /// The confirmed value becomes `new`, or stays if `new` is `nil`.
    private func write(
        _ new: ReplicaEntry??,
        under bytes: [UInt8],
        _ key: StoreKey,
        _ queue: PendingQueue,
        _ replica: Replica,
        _ batch: inout StoreBatch,
        _ expiries: inout [(key: StoreKey, expiry: ReplicationInstant?)]
    ) throws -> Bool {
        let record = try replica.confirmedRecord(key)
        let visible = try replica.visible(key)
        let confirmed = new ?? (record.map(\.entry) ?? visible)
        let place = ReplicaKeys.confirmed(key)
        let shown: ReplicaEntry?
        if let last = queue.lastWriter(of: bytes, without: removed) {
            if record.map({ $0.entry != confirmed }) ?? true {
                batch.set(record: ConfirmedRecord(confirmed).encoded, for: place)
            }
            shown = last.entry(under: bytes)
        } else {
            if record != nil { batch.remove(place) }
            shown = confirmed
        }
        guard shown != visible else { return false }
        if shown?.expiry != visible?.expiry { expiries.append((key, shown?.expiry)) }
        guard shown?.value != visible?.value else { return true }
        do {
            let value = try shown.map { try StoredValue(decoding: $0.value) }
            batch.write(value, for: key)
        } catch {
            throw StoreError.foreignEntry(bytes, underlying: error)
        }
        return true
    }
}
