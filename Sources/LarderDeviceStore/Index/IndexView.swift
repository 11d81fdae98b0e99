import LarderCore
import Synchronization

/// A view of the index that can be read without a lock.
///
/// A sequence lock protects the view. A writer makes the sequence number odd, changes the index with atomic stores, and makes the number
/// even again. A read is consistent only if the number is even and is unchanged after the read. Otherwise, the reader retries under the
/// lock.
///
/// An inconsistent read never accesses invalid memory, because ``IndexMemory`` keeps tables, directories and chunks readable. The address
/// of a long key is followed only after a consistency check.
struct IndexView: Sendable {
    private enum Word {
        static let sequence = 0
        static let state = 1
        static let table = 2
        // One cache line, which is not shared with other data.
        static let count = 8
    }

    /// The hash function for keys.
    let hash: KeyHash
    private let words: IndexWords
    /// The word in shared memory that encodes the log's generation and end offset.
    nonisolated(unsafe) private let shared: UnsafeMutablePointer<Atomic<UInt64>>

    /// Creates a view of an index that has no table yet.
    ///
    /// `shared` must outlive the view.
    init(_ memory: IndexMemory, _ hash: KeyHash, shared: UnsafeMutablePointer<Atomic<UInt64>>) {
        self.hash = hash
        words = memory.take(Word.count, for: .view)
        self.shared = shared
        words[Word.sequence] = 1
    }

    // MARK: Writing, under the lock

    /// Makes lock-free readers fall back to the lock until the next ``end(_:_:)``.
    ///
    /// Has no effect if readers already fall back to the lock.
    @inline(__always)
    func begin() {
        let sequence = words[Word.sequence]
        guard sequence & 1 == 0 else { return }
        words[Word.sequence] = sequence &+ 1
        atomicMemoryFence(ordering: .acquiringAndReleasing)
    }

    /// Publishes `table` to lock-free readers.
    ///
    /// `state` encodes the generation and the end offset of the log that the table reflects.
    @inline(__always)
    func end(_ table: IndexTable, _ state: UInt64) {
        words.setPointer(Word.table, table.words)
        words[Word.state] = state
        let sequence = words[Word.sequence]
        words.atomic(Word.sequence).pointee.store((sequence | 1) &+ 1, ordering: .releasing)
    }

    /// The index's current table.
    ///
    /// The table does not change while a writer holds its lock and has read all commits made by other processes.
    @inline(__always)
    var table: IndexTable { IndexTable(words.pointer(Word.table) ?? words) }

    // MARK: Reading, without a lock

    /// The result of a lock-free lookup.
    enum Answer {
        case value(IndexValue)
        /// The value is a long string, which may be copied under the lock only if the sequence number is still `sequence`.
        ///
        /// The first associated value identifies the string's entry in the table.
        case held(Int, sequence: UInt64)
        case absent
        /// The lookup was inconclusive and must be repeated under the lock.
        case unsure
    }

    /// Looks up `key` without acquiring the lock.
    @inline(__always)
    func find(_ key: KeyWords, hashed hash: UInt64) -> Answer {
        let sequence = words.atomic(Word.sequence).pointee.load(ordering: .acquiring)
        guard sequence & 1 == 0, words[Word.state] == shared.pointee.load(ordering: .acquiring) else { return .unsure }
        let table = table
        let found = table.numbers.first(hash) { number -> Answer? in
            guard let entry = table.reachableEntry(number) else { return .unsure }
            guard entry.holds(key) else { return nil }
            if !key.isInEntry {
                // An address may be followed only if it was read consistently.
                let longKey = entry.longKey
                guard isStill(sequence), key.equals(longKey) else { return .unsure }
            }
            let value = entry.value
            guard isStill(sequence) else { return .unsure }
            guard value.needsLock else { return .value(value) }
            return value.kind == IndexValue.Kind.boxed ? .unsure : .held(number, sequence: sequence)
        }
        return found ?? (isStill(sequence) ? .absent : .unsure)
    }

    /// Returns the string that a lock-free lookup found, or `nil` if the index has changed since the lookup.
    ///
    /// The caller must hold the lock, which keeps the string alive.
    @inline(__always)
    func text(_ number: Int, at sequence: UInt64) -> StoredValue? {
        guard words[Word.sequence] == sequence, words[Word.state] == shared.pointee.load(ordering: .acquiring) else {
            return nil
        }
        return table.entry(number).value.unboxed
    }

    @inline(__always)
    private func isStill(_ sequence: UInt64) -> Bool {
        atomicMemoryFence(ordering: .acquiring)
        return words[Word.sequence] == sequence
    }
}
