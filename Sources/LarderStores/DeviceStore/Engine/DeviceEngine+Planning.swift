import LarderCore
import LarderFiles
import Synchronization

/// Which writes of a batch change something, in the order of the frame.
struct CommitPlan {
    struct Item {
        var hash: UInt64
        /// Its index in the batch.
        var write: Int32
        /// The number of the entry that it replaces or removes, or -1.
        var number: Int32
        /// Where in the frame the entry begins, and where its key begins.
        var offset: UInt32
        var key: UInt32
        /// Encoded bytes of the value.
        var size: UInt32
        /// CRC-32C of the encoded value, for one that is left in the file.
        var checksum: UInt32

        /// Where in the frame its key lies.
        func keyBytes(of key: StoreKey) -> Range<Int> { Int(self.key)..<Int(self.key) + key.length }
    }

    private(set) var items: [Item] = []
    /// Whether no key is new.
    private(set) var replacesOnly = true
    /// For observers: keys with old and new value.
    var changes: [StoreChange.Entry] = []
    /// Whether ``changes`` are all of them: somebody listened when the plan was begun, and every old value could be read.
    var knowsChanges = false
    /// One bit for each entry of the index: whether an item replaces or removes it.
    private var taken: [UInt64] = []
    /// The keys so far that have no entry, by hash: the lower half of the hash in the upper half of a word, one more than the index of the write
    /// in the lower half; zero for nothing.
    private var table: [UInt64] = []
    /// How much of it is used, less one; -1 while there is no such key.
    private var mask = -1

    private static let largestKeptCapacity = 1 << 14

    /// Drops what was there, and memory that a very large commit needed.
    mutating func begin(isObserved: Bool) {
        knowsChanges = isObserved
        if items.count < taken.count {
            for item in items where item.number >= 0 { taken[Int(item.number) >> 6] = 0 }
        } else {
            for place in taken.indices { taken[place] = 0 }
        }
        items.removeAll(keepingCapacity: items.capacity <= Self.largestKeptCapacity)
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
        if number >> 6 >= taken.count {
            taken += [UInt64](repeating: 0, count: max(16, number >> 5) - taken.count)
        }
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

// What is checked and encoded before anything is changed; for whoever holds both locks.
extension DeviceEngine {
    // MARK: What must hold

    func fulfils(_ batch: StoreBatch) throws -> Bool {
        for expectation in batch.expectations {
            switch expectation {
            case .value(let value, let key):
                let stored: StoredValue? = try key.withBytes { try current($0, hash($0)).load(load) }
                if stored != value { return false }
            case .entries(let entries, let prefix):
                if try entriesUnderLock(prefix: prefix) != entries { return false }
            }
        }
        return true
    }

    /// What is stored under a key.
    private struct Current {
        /// The number of its entry, even when it has expired.
        var number: Int?
        var expiry: Int64?
        /// `nil` where there is none, or it is left in the file.
        var value: StoredValue?
        var inFile: DeviceLog.Value?

        func load(_ load: (DeviceLog.Value) throws -> StoredValue) throws -> StoredValue? {
            try inFile.map(load) ?? value
        }
    }

    private func current(_ key: UnsafeRawBufferPointer, _ hash: UInt64) -> Current {
        let (found, number) = memory.withLock { memory -> (Lookup, Int?) in
            (memory.find(key, hash, at: memory.word.rawValue), memory.index.find(key, hashed: hash))
        }
        var current = Current(number: number)
        switch found {
        case .found(let value): current.value = value
        case .inFile(let value): current.inFile = value
        case .expiring(let value, let expiry):
            current.expiry = expiry
            if !isExpired(expiry) { current.value = value }
        case .expiringInFile(let value, let expiry):
            current.expiry = expiry
            if !isExpired(expiry) { current.inFile = value }
        case .absent, .behind: break
        }
        return current
    }

    /// A value that is left in the file and about to be replaced or removed; `nil` where it can't be read any more, which must not keep
    /// anybody from that.
    private func loadIfReadable(_ value: DeviceLog.Value) throws -> StoredValue? {
        do {
            return try load(value)
        } catch let error as StoreError where error.isOfUnreadableValue {
            return nil
        }
    }

    // MARK: What is written

    /// Encodes those writes of `batch` that change something into the writer's frame.
    func plan(_ batch: StoreBatch, until expiry: Int64?, _ writer: inout Writer) throws {
        let isObserved = isObserved
        writer.plan.begin(isObserved: isObserved)
        writer.builder.begin()
        if try planInOrder(batch, until: expiry, isObserved, &writer) { return }
        try batch.validate()
        // Of two writes to one key the later one counts, in the place of the first.
        writer.plan.begin(isObserved: isObserved)
        writer.builder.begin()
        for index in lastWrites(of: batch) { _ = try planAnyWrite(batch, index, expiry, isObserved, &writer) }
    }

    /// Refuses a commit that is longer than any may be, before memory is taken for `size` bytes more.
    @inline(__always)
    func checkLength(_ writer: borrowing Writer, adding size: Int = 0) throws {
        guard writer.builder.length + size <= LogFormat.maximumFrameLength else { throw StoreError.longCommit(path) }
    }

    private func lastWrites(of batch: StoreBatch) -> [Int] {
        var last: [StoreKey: Int] = [:]
        var order: [Int] = []
        for (index, write) in batch.writes.enumerated() {
            if let place = last[write.key] {
                order[place] = index
            } else {
                last[write.key] = order.count
                order.append(index)
            }
        }
        return order
    }

    /// Plans the writes one after the other; `false` when it meets a key for the second time.
    private func planInOrder(
        _ batch: StoreBatch,
        until expiry: Int64?,
        _ isObserved: Bool,
        _ writer: inout Writer
    ) throws -> Bool {
        try batch.writes.withUnsafeBufferPointer { writes in
            for index in writes.indices {
                let integer: Int64? = if case .int(let integer)? = writes[index].value { integer } else { nil }
                let size = integer.map(StoredValue.encodedSize) ?? writes[index].value.map(LogValue.size)
                let isNew =
                    !isObserved && size ?? 0 <= LogFormat.largestValueInMemory
                    ? try planPlainWrite(writes, index, integer, size, expiry, &writer)
                    : try planAnyWrite(batch, index, expiry, isObserved, &writer)
                guard isNew else { return false }
            }
            return true
        }
    }

    /// Plans one write whose value, if it has one, takes `size` bytes and is kept in memory; `false` when its key was met before.
    ///
    /// The key is put into the frame first, and looked up from there: a text far away is then looked at once. `integer` is the value
    /// where it is one, which most are, so that the references of others need not be counted.
    @inline(__always)
    private func planPlainWrite(
        _ writes: UnsafeBufferPointer<StoreBatch.Write>,
        _ index: Int,
        _ integer: Int64?,
        _ size: Int?,
        _ expiry: Int64?,
        _ writer: inout Writer
    ) throws -> Bool {
        try checkLength(writer)
        let offset = writer.builder.length
        let place = writer.builder.beginEntry(keyLength: writes[index].key.length, size: size, until: expiry) {
            writes[index].key.copyBytes(to: $0)
        }
        let key = writer.builder.bytes.slice(place)
        // Most writes are seen to be good from here; to ask the write itself would count its references.
        let isPlain = integer != nil && key.count <= LogFormat.maximumKeyLength && key.first != 0
        if !isPlain { try validate(writes, index) }
        let remembered = writes[index].key.rememberedHash
        let hash = remembered != 0 ? remembered : hash(key)
        let number = entryNumber(of: key, hash)
        let isChange: Bool
        if let number {
            if writer.plan.takes(number) { return false }
            if let integer, expiry == nil {
                isChange = !view.table.entry(number).keeps(integer)
            } else {
                isChange = changes(number, to: writes[index].value, expiry)
            }
        } else {
            isChange = size != nil
            if writes.count > 1 {
                let isNew = writer.plan.note(index, of: writes.count, hashed: hash) {
                    writes[$0].key == writes[index].key
                }
                if !isNew { return false }
            }
        }
        guard isChange else {
            writer.builder.cut(to: offset)
            return true
        }
        if let integer {
            writer.builder.append(value: integer)
        } else if let value = writes[index].value {
            try writer.builder.append(value)
        }
        writer.plan.add(
            CommitPlan.Item(
                hash: hash,
                write: Int32(truncatingIfNeeded: index),
                number: Int32(truncatingIfNeeded: number ?? -1),
                offset: UInt32(truncatingIfNeeded: offset),
                key: UInt32(truncatingIfNeeded: place.lowerBound),
                size: UInt32(truncatingIfNeeded: size ?? 0),
                checksum: 0
            )
        )
        return true
    }

    @inline(never)
    private func validate(_ writes: UnsafeBufferPointer<StoreBatch.Write>, _ index: Int) throws {
        try writes[index].validate()
    }

    /// Plans one write whose value may stay in the file, or whose old value somebody wants to know; `false` when its key was met
    /// before.
    private func planAnyWrite(
        _ batch: StoreBatch,
        _ index: Int,
        _ expiry: Int64?,
        _ isObserved: Bool,
        _ writer: inout Writer
    ) throws -> Bool {
        let write = batch.writes[index]
        try write.validate()
        return try write.key.withBytes { key in
            let hash = hash(key)
            let old = current(key, hash)
            if let number = old.number, writer.plan.takes(number) { return false }
            var item = CommitPlan.Item(
                hash: hash,
                write: Int32(truncatingIfNeeded: index),
                number: Int32(truncatingIfNeeded: old.number ?? -1),
                offset: UInt32(truncatingIfNeeded: writer.builder.length),
                key: 0,
                size: 0,
                checksum: 0
            )
            let count = batch.writes.count
            if old.number == nil, count > 1 {
                let isNew = writer.plan.note(index, of: count, hashed: hash) { batch.writes[$0].key == write.key }
                if !isNew { return false }
            }
            if let value = write.value {
                // What expires is always written, as by `changes(_:to:_:)`.
                let mayBeEqual = expiry == nil && old.expiry == nil
                if mayBeEqual, old.value == value { return true }
                let size = LogValue.size(of: value)
                try checkLength(writer, adding: size)
                let encoded = try writer.builder.set(key, value, size: size, until: expiry)
                if size > LogFormat.largestValueInMemory {
                    item.checksum = CRC32C.of(writer.builder.bytes.slice(encoded))
                }
                // What differs by what is known of it need not be read.
                if mayBeEqual, let inFile = old.inFile, inFile.length == size, inFile.checksum == item.checksum,
                    try loadIfReadable(inFile) == value
                {
                    writer.builder.cut(to: Int(item.offset))
                    return true
                }
                item.size = UInt32(truncatingIfNeeded: size)
                item.key = UInt32(truncatingIfNeeded: encoded.lowerBound - key.count)
            } else {
                guard old.number != nil else { return true }
                writer.builder.remove(key)
                item.key = UInt32(truncatingIfNeeded: writer.builder.length - key.count)
            }
            writer.plan.add(item)
            if isObserved, !StoreKey.isReserved(key) {
                let oldValue = try old.inFile.map(loadIfReadable) ?? old.value
                if old.inFile != nil, oldValue == nil {
                    writer.plan.knowsChanges = false
                } else if oldValue != write.value {
                    writer.plan.changes.append(
                        StoreChange.Entry(key: write.key.text, old: oldValue, new: write.value)
                    )
                }
            }
            return true
        }
    }
}
