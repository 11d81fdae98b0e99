import LarderCore
import LarderFiles
import Synchronization

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
        let writes = batch.writes
        if try planInOrder(writes, until: expiry, isObserved, &writer) { return }
        try batch.validate()
        // Of two writes to one key the later one counts, in the place of the first.
        writer.plan.begin(isObserved: isObserved)
        writer.builder.begin()
        for index in lastWrites(of: writes) { _ = try planAnyWrite(index, of: writes, expiry, isObserved, &writer) }
    }

    /// Refuses a commit that is longer than any may be, before memory is taken for `size` bytes more.
    @inline(__always)
    func checkLength(_ writer: borrowing Writer, adding size: Int = 0) throws {
        guard writer.builder.length + size <= LogFormat.maximumFrameLength else { throw StoreError.longCommit(path) }
    }

    private func lastWrites(of writes: StoreBatch.Writes) -> [Int] {
        var last: [StoreKey: Int] = [:]
        var order: [Int] = []
        for (index, write) in writes.enumerated() {
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
        _ writes: StoreBatch.Writes,
        until expiry: Int64?,
        _ isObserved: Bool,
        _ writer: inout Writer
    ) throws -> Bool {
        var isPlanned = true
        try writes.forEachRecord { index, write in
            if !isObserved, expiry == nil, case .int(let integer)? = write.pointee.value {
                isPlanned = try planInteger(integer, write, index, of: writes, &writer)
            } else {
                isPlanned = try planOther(write, index, of: writes, until: expiry, isObserved, &writer)
            }
            return isPlanned
        }
        return isPlanned
    }

    /// Out of the way of integers, which most values are: the compiler keeps what is done for those together.
    @inline(never)
    private func planOther(
        _ write: UnsafePointer<StoreBatch.Writes.Record>,
        _ index: Int,
        of writes: StoreBatch.Writes,
        until expiry: Int64?,
        _ isObserved: Bool,
        _ writer: inout Writer
    ) throws -> Bool {
        let size = write.pointee.value.map(LogValue.size)
        if isObserved || size ?? 0 > LogFormat.largestValueInMemory {
            return try planAnyWrite(index, of: writes, expiry, isObserved, &writer)
        }
        return try planPlainWrite(write, index, of: writes, size, expiry, &writer)
    }

    /// A write whose key is in the frame, and what is known of that key.
    private struct BegunWrite {
        /// Its place in the batch.
        var index: Int
        var hash: UInt64
        /// The number of the entry that has the key.
        var number: Int?
        /// Where in the frame the entry begins, and where its key lies.
        var offset: Int
        var key: Range<Int>
    }

    /// Begins one write whose value, if it has one, takes `size` bytes and is kept in memory.
    ///
    /// The key is put into the frame first, and looked up from there: one that lies elsewhere is then looked at once.
    @inline(__always)
    private func begin(
        _ write: UnsafePointer<StoreBatch.Writes.Record>,
        _ index: Int,
        of writes: StoreBatch.Writes,
        _ size: Int?,
        _ expiry: Int64?,
        _ writer: inout Writer
    ) throws -> BegunWrite {
        try checkLength(writer)
        let length = write.pointee.keyLength
        if length > LogFormat.maximumKeyLength { try validate(write, of: writes) }
        let offset = writer.builder.length
        let place = writer.builder.beginEntry(keyLength: length, size: size, until: expiry) {
            writes.copyKey(of: write, to: $0)
        }
        let key = writer.builder.bytes.slice(place)
        if key.first == 0 { try validate(write, of: writes) }
        let remembered = write.pointee.rememberedHash
        let hash = remembered != 0 ? remembered : hash(key)
        return BegunWrite(index: index, hash: hash, number: entryNumber(of: key, hash), offset: offset, key: place)
    }

    /// Whether none of the writes before has the key of one that was begun.
    @inline(__always)
    private func isFirstOfKey(
        _ begun: BegunWrite,
        of writes: StoreBatch.Writes,
        _ writer: inout Writer
    ) -> Bool {
        if let number = begun.number { return !writer.plan.takes(number) }
        let count = writes.count
        return count == 1
            || writer.plan.note(begun.index, of: count, hashed: begun.hash) {
                writes.haveSameKey($0, begun.index)
            }
    }

    @inline(__always)
    private func item(of begun: BegunWrite, size: Int, integer: Int64? = nil) -> CommitPlan.Item {
        CommitPlan.Item(
            hash: begun.hash,
            integer: integer ?? 0,
            write: Int32(truncatingIfNeeded: begun.index),
            number: Int32(truncatingIfNeeded: begun.number ?? -1),
            offset: UInt32(truncatingIfNeeded: begun.offset),
            keyOffset: UInt8(truncatingIfNeeded: begun.key.lowerBound - begun.offset),
            replacesByInteger: integer != nil && begun.number != nil,
            keyLength: UInt16(truncatingIfNeeded: begun.key.count),
            size: UInt32(truncatingIfNeeded: size)
        )
    }

    /// Plans one write of an integer that never expires; `false` when its key was met before.
    @inline(__always)
    private func planInteger(
        _ integer: Int64,
        _ write: UnsafePointer<StoreBatch.Writes.Record>,
        _ index: Int,
        of writes: StoreBatch.Writes,
        _ writer: inout Writer
    ) throws -> Bool {
        let size = StoredValue.encodedSize(of: integer)
        let begun = try begin(write, index, of: writes, size, nil, &writer)
        guard isFirstOfKey(begun, of: writes, &writer) else { return false }
        if let number = begun.number, view.table.entry(number).keeps(integer) {
            writer.builder.cut(to: begun.offset)
            return true
        }
        writer.builder.append(value: integer)
        writer.plan.add(item(of: begun, size: size, integer: integer))
        return true
    }

    /// Plans one write whose value, if it has one, takes `size` bytes and is kept in memory; `false` when its key was met before.
    private func planPlainWrite(
        _ write: UnsafePointer<StoreBatch.Writes.Record>,
        _ index: Int,
        of writes: StoreBatch.Writes,
        _ size: Int?,
        _ expiry: Int64?,
        _ writer: inout Writer
    ) throws -> Bool {
        if write.pointee.value?.isPlain == false { try validate(write, of: writes) }
        let begun = try begin(write, index, of: writes, size, expiry, &writer)
        guard isFirstOfKey(begun, of: writes, &writer) else { return false }
        let isChange =
            if let number = begun.number { changes(number, to: write.pointee.value, expiry) } else { size != nil }
        guard isChange else {
            writer.builder.cut(to: begun.offset)
            return true
        }
        if let value = write.pointee.value { try writer.builder.append(value) }
        writer.plan.add(item(of: begun, size: size ?? 0))
        return true
    }

    @inline(never)
    private func validate(_ write: UnsafePointer<StoreBatch.Writes.Record>, of writes: StoreBatch.Writes) throws {
        try writes.validate(write)
    }

    /// Plans one write whose value may stay in the file, or whose old value somebody wants to know; `false` when its key was met
    /// before.
    private func planAnyWrite(
        _ index: Int,
        of writes: StoreBatch.Writes,
        _ expiry: Int64?,
        _ isObserved: Bool,
        _ writer: inout Writer
    ) throws -> Bool {
        let write = writes[index]
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
                keyOffset: 0,
                keyLength: UInt16(truncatingIfNeeded: key.count),
                size: 0
            )
            let count = writes.count
            if old.number == nil, count > 1 {
                let isNew = writer.plan.note(index, of: count, hashed: hash) { writes.haveSameKey($0, index) }
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
                item.keyOffset = UInt8(truncatingIfNeeded: encoded.lowerBound - key.count - Int(item.offset))
            } else {
                guard old.number != nil else { return true }
                writer.builder.remove(key)
                item.keyOffset = UInt8(truncatingIfNeeded: writer.builder.length - key.count - Int(item.offset))
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
