import LarderCore

/// Which writes of a batch change something, in the order of the frame.
struct CommitPlan: ~Copyable {
    struct Item: BitwiseCopyable {
        var hash: UInt64
        /// The value, where ``replacesByInteger``.
        var integer: Int64 = 0
        /// Its index in the batch.
        var write: Int32
        /// The number of the entry that it replaces or removes, or -1.
        var number: Int32
        /// Where in the frame the entry begins.
        var offset: UInt32
        /// How far behind that its key begins.
        var keyOffset: UInt8
        /// Whether it is known to put an integer that never expires in the place of another value; others may do so, too.
        var replacesByInteger = false
        var keyLength: UInt16
        /// Encoded bytes of the value.
        var size: UInt32
        /// CRC-32C of the encoded value, for one that is left in the file.
        var checksum: UInt32 = 0

        /// Where in the frame its key lies.
        var key: Range<Int> {
            let start = Int(offset) + Int(keyOffset)
            return start..<start + Int(keyLength)
        }
    }

    private(set) var items = KeptBuffer<Item>(capacity: smallestCapacity)
    /// Whether no key is new.
    private(set) var replacesOnly = true
    /// For observers: keys with old and new value.
    var changes: [StoreChange.Entry] = []
    /// Whether ``changes`` are all of them: somebody listened when the plan was begun, and every old value could be read.
    var knowsChanges = false
    /// One bit for each entry of the index: whether an item replaces or removes it.
    private var taken = KeptBuffer<UInt64>(capacity: smallestCapacity)
    /// The keys so far that have no entry, by hash: the lower half of the hash in the upper half of a word, one more than the index of the write
    /// in the lower half; zero for nothing.
    private var table: [UInt64] = []
    /// How much of it is used, less one; -1 while there is no such key.
    private var mask = -1

    private static var smallestCapacity: Int { 16 }
    private static var largestKeptCapacity: Int { 1 << 14 }

    /// Drops what was there, and memory that a very large commit needed.
    mutating func begin(isObserved: Bool) {
        knowsChanges = isObserved
        if items.count < taken.count {
            for index in 0..<items.count where items[index].number >= 0 { taken[Int(items[index].number) >> 6] = 0 }
        } else {
            for place in 0..<taken.count { taken[place] = 0 }
        }
        items.removeAll(keeping: Self.largestKeptCapacity)
        replacesOnly = true
        mask = -1
        dropChanges()
    }

    @inline(__always)
    mutating func dropChanges() { if !changes.isEmpty { changes = [] } }

    @inline(__always)
    mutating func add(_ item: Item) {
        items.append(item)
        if item.number < 0 {
            replacesOnly = false
        } else {
            take(Int(item.number))
        }
    }

    // MARK: Which keys come twice

    /// Whether an item replaces or removes the entry of that number.
    @inline(__always)
    func takes(_ number: Int) -> Bool {
        number >> 6 < taken.count && taken[number >> 6] & 1 << UInt64(truncatingIfNeeded: number & 63) != 0
    }

    @inline(__always)
    private mutating func take(_ number: Int) {
        if number >> 6 >= taken.count { taken.extend(to: number >> 5 + 1, with: 0) }
        taken[number >> 6] |= 1 << UInt64(truncatingIfNeeded: number & 63)
    }

    /// Notes the key of the write at `index`, one of `count`, that has no entry; `false` when it is the same as that of an earlier
    /// one, which `isSame` says.
    @inline(__always)
    mutating func note(_ index: Int, of count: Int, hashed hash: UInt64, _ isSame: (Int) -> Bool) -> Bool {
        if mask < 0 { makeTable(count) }
        return table.withUnsafeMutableBufferPointer { [mask] table in
            let tag = hash << 32
            var place = Int(truncatingIfNeeded: hash) & mask
            while table[place] != 0 {
                if table[place] & 0xFFFF_FFFF_0000_0000 == tag,
                    isSame(Int(truncatingIfNeeded: table[place] & 0xFFFF_FFFF) - 1)
                {
                    return false
                }
                place = (place + 1) & mask
            }
            table[place] = tag | UInt64(index + 1)
            return true
        }
    }

    @inline(never)
    private mutating func makeTable(_ count: Int) {
        var size = 16
        while size < count + count / 2 { size *= 2 }
        mask = size - 1
        if table.count < size || table.count > 2 * max(size, Self.largestKeptCapacity) {
            table = [UInt64](repeating: 0, count: size)
        } else {
            table.withUnsafeMutableBufferPointer { table in
                for place in 0..<size { table[place] = 0 }
            }
        }
    }
}
