import LarderCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The local store of a replicated store, with typed access to its records.
struct Replica: Sendable {
    let base: any KeyValueStore

    /// The two counters that every local commit of a replicated store expects to be unchanged.
    struct Counters: Sendable, Hashable {
        /// The number of the next pending commit.
        var next: Int64
        /// The bytes of all commits that were ever appended to the queue.
        var appended: Int64
        /// The number of local commits that have applied or rolled back anything.
        var turn: Int64

        /// Adds the expectation that the counters are unchanged.
        func expect(in batch: inout StoreBatch) {
            batch.expect(next == 0 ? nil : .pair(next, appended), at: ReplicaKeys.next)
            batch.expect(turn == 0 ? nil : .int(turn), at: ReplicaKeys.turn)
        }
    }

    func counters() throws -> Counters {
        let (next, appended) = try pair(ReplicaKeys.next)
        return Counters(next: next, appended: appended, turn: try integer(ReplicaKeys.turn))
    }

    func first() throws -> Int64 { try start().first }

    /// The beginning of the queue: no pending commit has a lower number, and the bytes of all commits that have left the queue.
    func start() throws -> (first: Int64, removed: Int64) { try pair(ReplicaKeys.first) }

    /// The maximum number of commits in a list of the replica, which no program reaches.
    ///
    /// Otherwise, a corrupt counter would let a call that looks for each commit run without end.
    static let mostCommits: Int64 = 1 << 24

    /// The numbers of the pending commits, of which some may be missing.
    func pendingNumbers() throws -> Range<Int64> {
        let (first, next) = (try first(), try counters().next)
        guard first >= 0, next >= 0, next - first <= Self.mostCommits else {
            throw StoreError.damagedRecord(ReplicaKeys.next, in: base, RecordReader.Failure.damaged)
        }
        return first..<max(first, next)
    }

    /// The number of local commits that may have changed a value that reads see, other than those with a pending commit.
    func visible() throws -> Int64 { try integer(ReplicaKeys.visible) }

    /// Adds the expectation that no such commit has been made since ``visible()`` returned `count`.
    func expectVisible(_ count: Int64, in batch: inout StoreBatch) {
        batch.expect(count == 0 ? nil : .int(count), at: ReplicaKeys.visible)
    }

    func cursor() throws -> ReplicaCursor? { try record(ReplicaKeys.cursor, ReplicaCursor.init(decoding:)) }

    func header() throws -> ReplicaHeader? { try record(ReplicaKeys.header, ReplicaHeader.init(decoding:)) }

    func pending(_ number: Int64) throws -> PendingCommit? {
        try record(ReplicaKeys.pending(number)) { bytes throws(RecordReader.Failure) in
            try PendingCommit(number: number, decoding: bytes)
        }
    }

    func confirmedRecord(_ key: StoreKey) throws -> ConfirmedRecord? {
        try record(ReplicaKeys.confirmed(key), ConfirmedRecord.init(decoding:))
    }

    /// Returns the entry that the cluster has under `key`, as far as its commits have been applied here.
    func confirmed(_ key: StoreKey) throws -> ReplicaEntry? {
        if let record = try confirmedRecord(key) { return record.entry }
        return try visible(key)
    }

    /// Returns the entry that reads see under `key`, whether or not it has expired.
    func visible(_ key: StoreKey) throws -> ReplicaEntry? {
        guard let value = try base.get(key) else { return nil }
        // Without the bound, no entry expires.
        let expiry = try base.get(ReplicaKeys.earliest) == nil ? nil : expiry(of: key)
        return ReplicaEntry(try value.encoded(), until: expiry)
    }

    /// Returns the instant in a record, or `nil` if there is no record.
    func instant(_ key: StoreKey) throws -> ReplicationInstant? {
        guard try base.get(key) != nil else { return nil }
        return ReplicationInstant(milliseconds: try integer(key))
    }

    func rejectedList() throws -> RejectedList {
        guard let value = try base.get(ReplicaKeys.rejected) else { return RejectedList() }
        guard let list = RejectedList(value) else {
            throw StoreError.damagedRecord(ReplicaKeys.rejected, in: base, RecordReader.Failure.damaged)
        }
        return list
    }

    func rejected(_ number: Int64) throws -> RejectedRecord? {
        try record(ReplicaKeys.rejected(number), RejectedRecord.init(decoding:))
    }

    /// The reserved keys of the cluster's data, which no listing shows.
    func reservedKeys() throws -> [StoreKey] {
        guard let value = try base.get(ReplicaKeys.reserved) else { return [] }
        guard case .array(let names) = value else {
            throw StoreError.damagedRecord(ReplicaKeys.reserved, in: base, RecordReader.Failure.damaged)
        }
        return try names.map { name in
            guard case .string(let text) = name else {
                throw StoreError.damagedRecord(ReplicaKeys.reserved, in: base, RecordReader.Failure.damaged)
            }
            return try StoreKey(replicated: Array(text.utf8))
        }
    }

    private func integer(_ key: StoreKey) throws -> Int64 {
        switch try base.get(key) {
        case .int(let number)?: return number
        case nil: return 0
        default: throw StoreError.damagedRecord(key, in: base, RecordReader.Failure.damaged)
        }
    }

    private func pair(_ key: StoreKey) throws -> (Int64, Int64) {
        guard let value = try base.get(key) else { return (0, 0) }
        guard case .array(let numbers) = value, numbers.count == 2, case .int(let first) = numbers[0],
            case .int(let second) = numbers[1]
        else { throw StoreError.damagedRecord(key, in: base, RecordReader.Failure.damaged) }
        return (first, second)
    }

    private func record<Record>(
        _ key: StoreKey,
        _ decode: ([UInt8]) throws(RecordReader.Failure) -> Record
    ) throws -> Record? {
        guard let value = try base.get(key) else { return nil }
        guard case .data(let data) = value else {
            throw StoreError.damagedRecord(key, in: base, RecordReader.Failure.damaged)
        }
        do { return try decode(Array(data)) } catch { throw StoreError.damagedRecord(key, in: base, error) }
    }
}

extension StoreBatch {
    /// Adds a write of the bytes of a record.
    mutating func set(record bytes: [UInt8], for key: StoreKey) { set(.data(Data(bytes)), for: key) }
}

extension StoredValue {
    /// The value that holds a number of the queue and a number of bytes.
    static func pair(_ number: Int64, _ bytes: Int64) -> StoredValue { .array([.int(number), .int(bytes)]) }

    /// The value that holds the record of a cursor.
    static func data(_ cursor: ReplicaCursor) -> StoredValue { .data(Data(cursor.encoded)) }
}
