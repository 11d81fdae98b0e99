import LarderCore

// For who holds the writer's lock and has followed other processes: nothing else changes what this looks at, so that readers need not be
// kept out.
extension IndexView {
    /// How a key stands beside what is to be written under it.
    enum Standing {
        case absent
        /// The entry with that number is to be replaced or removed.
        case present(Int)
        case unchanged
    }

    /// How `key` stands beside `value`, or its removal, until `expiry`; `value` is one that memory keeps.
    @inline(__always)
    func standing(
        of key: UnsafeRawBufferPointer,
        _ hashed: UInt64,
        beside value: StoredValue?,
        _ expiry: Int64?
    ) -> Standing {
        guard let number = entryNumber(of: key, hashed) else { return value == nil ? .unchanged : .absent }
        return changes(number, to: value, expiry) ? .present(number) : .unchanged
    }

    /// The number of the entry of `key`.
    @inline(__always)
    func entryNumber(of key: UnsafeRawBufferPointer, _ hashed: UInt64) -> Int? {
        let table = table
        return table.place(of: KeyWords(key), hashed: hashed).map { IndexTable.number(ofSlot: table.slot($0)) }
    }

    /// Whether `value` until `expiry`, or a removal, makes a difference to the entry of that number.
    ///
    /// What expires always does: where the clock was set back, a compaction, maybe another process's, can be about to remove the same.
    @inline(__always)
    func changes(_ number: Int, to value: StoredValue?, _ expiry: Int64?) -> Bool {
        guard expiry == nil, let value else { return true }
        return !table.entry(number).keeps(value)
    }
}
