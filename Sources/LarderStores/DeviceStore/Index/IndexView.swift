import LarderCore
import Synchronization

/// What readers look at without a lock: where the table lies, what it reflects, and whether it is being changed.
///
/// A **sequence lock**. The writer makes the sequence odd, changes what it likes by atomic stores, and makes it even again, one
/// higher. A reader notes the sequence, looks, and asks whether it is still the same: then what it saw is of one moment. Else,
/// or when the sequence is odd, or the value needs more than a copy, it asks again under the lock. What was read in between
/// may be anything; so a reader makes sure before it follows an address, and memory it may look at is never freed
/// (``IndexMemory``).
struct IndexView: Sendable {
    private enum Word {
        static let sequence = 0
        static let state = 1
        static let table = 2
    }

    /// How keys are hashed.
    let hash: KeyHash
    private let words: IndexWords
    /// The state word that processes share.
    nonisolated(unsafe) private let shared: UnsafeMutablePointer<Atomic<UInt64>>

    /// A view that shows nothing yet; `shared` must outlive it.
    init(_ memory: IndexMemory, _ hash: KeyHash, shared: UnsafeMutablePointer<Atomic<UInt64>>) {
        self.hash = hash
        words = memory.take(8)
        self.shared = shared
        words[Word.sequence] = 1
    }

    // MARK: Writing, for whoever holds the lock

    /// Turns readers away, if they are not yet.
    @inline(__always)
    func begin() {
        let sequence = words[Word.sequence]
        guard sequence & 1 == 0 else { return }
        words[Word.sequence] = sequence &+ 1
        atomicMemoryFence(ordering: .acquiringAndReleasing)
    }

    /// Lets readers in again, to what reflects `state`.
    @inline(__always)
    func end(_ table: IndexTable, _ state: UInt64) {
        words[Word.table] = table.words.asWord
        words[Word.state] = state
        let sequence = words[Word.sequence]
        words.atomic(Word.sequence).pointee.store((sequence | 1) &+ 1, ordering: .releasing)
    }

    // MARK: Reading, without a lock

    /// What a look came to.
    enum Answer {
        case value(IndexValue)
        case absent
        /// Ask again under the lock.
        case unsure
    }

    /// The value under a key, if it can be told without a lock.
    @inline(__always)
    func find(_ key: KeyWords, hashed hash: UInt64) -> Answer {
        let sequence = words.atomic(Word.sequence).pointee.load(ordering: .acquiring)
        guard sequence & 1 == 0, words[Word.state] == shared.pointee.load(ordering: .acquiring) else { return .unsure }
        let table = IndexTable(IndexWords(at: words[Word.table], or: words))
        guard isStill(sequence) else { return .unsure }
        let mask = table.mask
        let tag = IndexTable.tag(hash)
        var place = table.place(tag)
        var rest = mask
        while true {
            let slot = table.slot(place)
            if slot == 0 { return isStill(sequence) ? .absent : .unsure }
            if IndexTable.tag(ofSlot: slot) == tag {
                // Only now is the number known to be one of this table's.
                guard isStill(sequence) else { return .unsure }
                let entry = table.entry(IndexTable.number(ofSlot: slot))
                if entry.holds(key) {
                    if !key.isInEntry {
                        // Nor may an address be followed that something else has taken the place of.
                        guard isStill(sequence), key.equals(entry.longKey) else { return .unsure }
                    }
                    let value = entry.value
                    guard isStill(sequence), !value.needsLock else { return .unsure }
                    return .value(value)
                }
            }
            guard rest > 0 else { return .unsure }
            rest -= 1
            place = (place + 1) & mask
        }
    }

    @inline(__always)
    private func isStill(_ sequence: UInt64) -> Bool {
        atomicMemoryFence(ordering: .acquiring)
        return words[Word.sequence] == sequence
    }
}
