import LarderCore
import Synchronization

/// What readers look at without a lock: where the table lies, what it reflects, and whether it is being changed.
///
/// A **sequence lock**. The writer makes the sequence odd, changes what it likes by atomic stores, and makes it even again, one
/// higher. A reader notes the sequence, looks, and asks whether it is still the same: then what it saw is of one moment. Else,
/// or when the sequence is odd, or the value needs more than a copy, it asks again under the lock. What was read in between
/// may be anything; but tables, directories and chunks are such for ever (``IndexMemory``), so that a look among them never leads
/// out of them. Of everything else that an entry may hold, the address of a long key, a reader makes sure after it has read it
/// and before it follows it.
struct IndexView: Sendable {
    private enum Word {
        static let sequence = 0
        static let state = 1
        static let table = 2
        // On a cache line of their own, which a value that changes leaves alone.
        static let structure = 8
        static let steadyTable = 9
        static let count = 16
    }

    /// How keys are hashed.
    let hash: KeyHash
    private let words: IndexWords
    /// The state word that processes share.
    nonisolated(unsafe) private let shared: UnsafeMutablePointer<Atomic<UInt64>>

    /// A view that shows nothing yet; `shared` must outlive it.
    init(_ memory: IndexMemory, _ hash: KeyHash, shared: UnsafeMutablePointer<Atomic<UInt64>>) {
        self.hash = hash
        words = memory.take(Word.count, for: .view)
        self.shared = shared
        words[Word.sequence] = 1
        words[Word.structure] = 1
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
        words.setPointer(Word.table, table.words)
        words[Word.state] = state
        let sequence = words[Word.sequence]
        words.atomic(Word.sequence).pointee.store((sequence | 1) &+ 1, ordering: .releasing)
    }

    /// Turns those away who look for entries of the log, before a key may be met at another place or not at all for a moment: a new
    /// key or another value under one changes nothing for them.
    @inline(__always)
    func beginRestructuring() {
        words[Word.structure] = words[Word.structure] | 1
        atomicMemoryFence(ordering: .acquiringAndReleasing)
    }

    /// Lets them in again.
    @inline(__always)
    func endRestructuring(_ table: IndexTable) {
        words.setPointer(Word.steadyTable, table.words)
        let structure = words[Word.structure]
        words.atomic(Word.structure).pointee.store((structure | 1) &+ 1, ordering: .releasing)
    }

    /// The table; nobody changes it while somebody holds the writer's lock and has followed the others.
    @inline(__always)
    var table: IndexTable { IndexTable(words.pointer(Word.table) ?? words) }

    // MARK: Reading, without a lock

    /// Has the entry fetched that a key of that hash most likely has: what a writer would wait for while it has the locks.
    @inline(__always)
    func prefetch(hashed hash: UInt64) {
        let table = table
        let slot = table.slot(table.place(IndexTable.tag(hash)))
        if slot != 0 { table.reachableEntry(IndexTable.number(ofSlot: slot))?.prefetch() }
    }

    /// What a look for an entry of the log came to.
    enum Currency {
        /// It seems to be what counts under its key, in the entry with that number: look again under the lock.
        case current(Int)
        case outdated
        /// Ask again under the lock.
        case unsure
    }

    /// Whether the entry at `position` of the log is what counts under `key`, if that can be told without a lock.
    ///
    /// A writer at full speed is hardly disturbed: what every commit changes is not looked at, but for the entry itself.
    @inline(__always)
    func currency(of key: KeyWords, hashed hash: UInt64, at position: Int, _ side: Int) -> Currency {
        let structure = words.atomic(Word.structure).pointee.load(ordering: .acquiring)
        guard structure & 1 == 0 else { return .unsure }
        let table = IndexTable(words.pointer(Word.steadyTable) ?? words)
        let mask = table.mask
        let tag = IndexTable.tag(hash)
        var place = table.place(tag)
        for _ in 0...mask {
            let slot = table.slot(place)
            if slot == 0 { return hasStill(structure) ? .outdated : .unsure }
            if IndexTable.tag(ofSlot: slot) == tag {
                let number = IndexTable.number(ofSlot: slot)
                guard let entry = table.reachableEntry(number) else { return .unsure }
                if entry.position(side) == position {
                    // A key that is longer than an entry holds may be another one.
                    guard key.isInEntry, entry.holds(key) else { return .unsure }
                    return .current(number)
                }
            }
            place = (place + 1) & mask
        }
        return .unsure
    }

    @inline(__always)
    private func hasStill(_ structure: UInt64) -> Bool {
        atomicMemoryFence(ordering: .acquiring)
        return words[Word.structure] == structure
    }

    /// What a look came to.
    enum Answer {
        case value(IndexValue)
        /// A text that may be copied under the lock from the entry of that number, if the sequence still is that one.
        case held(Int, sequence: UInt64)
        case absent
        /// Ask again under the lock.
        case unsure
    }

    /// The value under a key, if it can be told without a lock.
    @inline(__always)
    func find(_ key: KeyWords, hashed hash: UInt64) -> Answer {
        let sequence = words.atomic(Word.sequence).pointee.load(ordering: .acquiring)
        guard sequence & 1 == 0, words[Word.state] == shared.pointee.load(ordering: .acquiring) else { return .unsure }
        let table = table
        let mask = table.mask
        let tag = IndexTable.tag(hash)
        var place = table.place(tag)
        var rest = mask
        while true {
            let slot = table.slot(place)
            if slot == 0 { return isStill(sequence) ? .absent : .unsure }
            if IndexTable.tag(ofSlot: slot) == tag {
                let number = IndexTable.number(ofSlot: slot)
                guard let entry = table.reachableEntry(number) else { return .unsure }
                if entry.holds(key) {
                    if !key.isInEntry {
                        // Only an address that was read while it was one may be followed.
                        let longKey = entry.longKey
                        guard isStill(sequence), key.equals(longKey) else { return .unsure }
                    }
                    let value = entry.value
                    guard isStill(sequence) else { return .unsure }
                    guard value.needsLock else { return .value(value) }
                    return value.kind == IndexValue.Kind.boxed ? .unsure : .held(number, sequence: sequence)
                }
            }
            guard rest > 0 else { return .unsure }
            rest -= 1
            place = (place + 1) & mask
        }
    }

    /// The text that a look has found; `nil` when anything was changed since.
    ///
    /// For whoever holds the lock, which keeps it from being freed.
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
