import LarderCore

/// The planned writes of a commit, in the order of their entries in the commit's frame.
///
/// No-op writes are omitted.
struct CommitPlan: ~Copyable {
    struct Item: BitwiseCopyable {
        let hash: UInt64
        /// The index of the write in the commit request.
        let write: Int32
        /// The number of the index entry to replace or remove, or -1 if the key is new.
        let number: Int32
        /// The byte offset of the write's entry in the frame.
        let offset: UInt32
        /// The encoded size of the value in bytes.
        var size: UInt32 = 0
        /// The CRC-32C checksum of the encoded value, or 0 if the value is kept in memory.
        var checksum: UInt32 = 0
    }

    private(set) var items = KeptBuffer<Item>(capacity: smallestCapacity)
    /// Whether every planned write replaces or removes an existing entry.
    private(set) var replacesOnly = true
    /// The old and new values to pass to observers.
    var changes: [StoreChange.Entry] = []
    /// Whether ``changes`` is complete.
    ///
    /// The changes are complete if an observer was registered when planning began and every old value could be read.
    var hasAllChanges = false
    /// A bit set of the index entries that the plan replaces or removes.
    private var taken = KeptBuffer<UInt64>(capacity: smallestCapacity)
    /// The slots of the ``ProbeTable`` that contains the planned writes to new keys.
    private var slots = KeptBuffer<UInt64>(capacity: smallestCapacity)
    /// The number of writes in the commit request.
    private var count = 0

    private static var smallestCapacity: Int { 16 }
    private static var largestKeptCapacity: Int { 1 << 15 }

    /// Resets the plan for a commit request with `count` writes, and shrinks very large buffers.
    mutating func begin(_ count: Int, isObserved: Bool) {
        hasAllChanges = isObserved
        clearTaken()
        items.removeAll(keeping: Self.largestKeptCapacity)
        slots.removeAll(keeping: Self.largestKeptCapacity)
        self.count = count
        replacesOnly = true
        dropChanges()
    }

    /// Clears the bits of the index entries that the previous plan replaced or removed.
    private mutating func clearTaken() {
        if items.count < taken.count {
            for item in items.elements where item.number >= 0 && item.number >> 6 < taken.count {
                taken[Int(item.number) >> 6] = 0
            }
        } else {
            for place in 0..<taken.count { taken[place] = 0 }
        }
    }

    mutating func dropChanges() { if !changes.isEmpty { changes = [] } }

    /// Adds a planned write.
    ///
    /// The plan must not contain another write to the same key.
    mutating func add(_ item: Item) {
        if item.number < 0 {
            replacesOnly = false
            if count > 1 { note(item) }
        } else if count > 1 {
            take(Int(item.number))
        }
        items.append(item)
    }

    /// Removes the last planned write, which must replace an existing entry.
    mutating func removeLast() {
        let number = Int(items[items.count - 1].number)
        if count > 1 { taken[number >> 6] &= ~(1 << UInt64(number & 63)) }
        items.removeLast()
    }

    // MARK: Duplicate keys

    /// Returns whether the plan replaces or removes the index entry with the given number.
    func takes(_ number: Int) -> Bool {
        number >> 6 < taken.count && taken[number >> 6] & 1 << UInt64(truncatingIfNeeded: number & 63) != 0
    }

    private mutating func take(_ number: Int) {
        if number >> 6 >= taken.count { taken.extend(to: number >> 5 + 1, with: 0) }
        taken[number >> 6] |= 1 << UInt64(truncatingIfNeeded: number & 63)
    }

    private var table: ProbeTable { ProbeTable(IndexWords(slots.address), mask: slots.count - 1) }

    /// Returns whether the plan contains a write to a new key that has the given hash and for which `isSame` returns `true`.
    func adds(hashed hash: UInt64, _ isSame: (Item) -> Bool) -> Bool {
        slots.count > 0 && table.search(hash) { isSame(items[$0]) }.number != nil
    }

    private mutating func note(_ item: Item) {
        if slots.count == 0 { slots.extend(to: ProbeTable.size(for: count), with: 0) }
        table.insert(items.count, hashed: item.hash)
    }
}
