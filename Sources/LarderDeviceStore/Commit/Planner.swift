import LarderCore
import LarderFiles
import Synchronization

/// What is checked and encoded before anything is changed.
///
/// The functions that most writes go through take the log and the view and no turn: then the compiler knows what else changes, nothing.
enum Planner {
    // MARK: What must hold

    static func fulfils(_ batch: StoreBatch, _ shared: inout SharedTurn) throws -> Bool {
        guard !batch.expectations.isEmpty else { return true }
        let (place, hash) = (shared.place, shared.view.hash)
        for expectation in batch.expectations {
            switch expectation {
            case .value(let value, let key):
                let stored: StoredValue? = try key.withBytes { try current($0, hash($0), &shared).load(place.load) }
                if stored != value { return false }
            case .entries(let entries, let prefix):
                if try Reading.entries(prefix: prefix, &shared) != entries { return false }
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

    private static func current(_ key: UnsafeRawBufferPointer, _ hash: UInt64, _ shared: inout SharedTurn) -> Current {
        let (found, number) = shared.look { index -> (Index.Lookup, Int?) in
            (index.find(key, hash, at: index.word.rawValue), index.entries.find(key, hashed: hash))
        }
        var current = Current(number: number)
        switch found {
        case .found(let value): current.value = value
        case .inFile(let value): current.inFile = value
        case .expiring(let value, let expiry):
            current.expiry = expiry
            if !shared.place.isExpired(expiry) { current.value = value }
        case .expiringInFile(let value, let expiry):
            current.expiry = expiry
            if !shared.place.isExpired(expiry) { current.inFile = value }
        case .absent, .behind: break
        }
        return current
    }

    /// A value that is left in the file and about to be replaced or removed; `nil` where it can't be read any more, which must not keep
    /// anybody from that.
    private static func loadIfReadable(_ value: DeviceLog.Value, _ place: Place) throws -> StoredValue? {
        do {
            return try place.load(value)
        } catch let error as StoreError where error.isOfUnreadableValue {
            return nil
        }
    }

    // MARK: What is written

    /// Encodes those writes of `batch` that change something into the log's frame.
    static func plan(_ batch: StoreBatch, until expiry: Int64?, _ shared: inout SharedTurn) throws {
        let isObserved = shared.observers.isObserved
        shared.writer.log.plan.begin(isObserved: isObserved)
        shared.writer.log.builder.begin()
        let writes = batch.writes
        if try planInOrder(writes, until: expiry, isObserved, &shared) { return }
        try batch.validate()
        // Of two writes to one key the later one counts, in the place of the first.
        shared.writer.log.plan.begin(isObserved: isObserved)
        shared.writer.log.builder.begin()
        for index in lastWrites(of: writes) { _ = try planAnyWrite(index, of: writes, expiry, isObserved, &shared) }
    }

    private static func lastWrites(of writes: StoreBatch.Writes) -> [Int] {
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
    private static func planInOrder(
        _ writes: StoreBatch.Writes,
        until expiry: Int64?,
        _ isObserved: Bool,
        _ shared: inout SharedTurn
    ) throws -> Bool {
        var isPlanned = true
        let view = shared.view
        try writes.forEachRecord { index, write in
            if !isObserved, expiry == nil, case .int(let integer)? = write.pointee.value {
                isPlanned = try planInteger(integer, write, index, of: writes, &shared.writer.log, view)
            } else {
                isPlanned = try planOther(write, index, of: writes, until: expiry, isObserved, &shared)
            }
            return isPlanned
        }
        return isPlanned
    }

    /// Out of the way of integers, which most values are: the compiler keeps what is done for those together.
    @inline(never)
    private static func planOther(
        _ write: UnsafePointer<StoreBatch.Writes.Record>,
        _ index: Int,
        of writes: StoreBatch.Writes,
        until expiry: Int64?,
        _ isObserved: Bool,
        _ shared: inout SharedTurn
    ) throws -> Bool {
        let size = write.pointee.value.map(LogValue.size)
        if isObserved || size ?? 0 > LogFormat.largestValueInMemory {
            return try planAnyWrite(index, of: writes, expiry, isObserved, &shared)
        }
        let view = shared.view
        return try planPlainWrite(write, index, of: writes, size, expiry, &shared.writer.log, view)
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
    private static func begin(
        _ write: UnsafePointer<StoreBatch.Writes.Record>,
        _ index: Int,
        of writes: StoreBatch.Writes,
        _ size: Int?,
        _ expiry: Int64?,
        _ log: inout LogWriter,
        _ view: IndexView
    ) throws -> BegunWrite {
        try log.checkLength(log.log.file.path)
        let length = write.pointee.keyLength
        if length > LogFormat.maximumKeyLength { try validate(write, of: writes) }
        let offset = log.builder.length
        let place = log.builder.beginEntry(keyLength: length, size: size, until: expiry) {
            writes.copyKey(of: write, to: $0)
        }
        let key = log.builder.bytes.slice(place)
        if key.first == 0 { try validate(write, of: writes) }
        let remembered = write.pointee.rememberedHash
        let hash = remembered != 0 ? remembered : view.hash(key)
        return BegunWrite(index: index, hash: hash, number: view.entryNumber(of: key, hash), offset: offset, key: place)
    }

    /// Whether none of the writes before has the key of one that was begun.
    @inline(__always)
    private static func isFirstOfKey(
        _ begun: BegunWrite,
        of writes: StoreBatch.Writes,
        _ log: inout LogWriter
    ) -> Bool {
        if let number = begun.number { return !log.plan.takes(number) }
        let count = writes.count
        return count == 1
            || log.plan.note(begun.index, of: count, hashed: begun.hash) {
                writes.haveSameKey($0, begun.index)
            }
    }

    @inline(__always)
    private static func item(of begun: BegunWrite, size: Int, integer: Int64? = nil) -> CommitPlan.Item {
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
    private static func planInteger(
        _ integer: Int64,
        _ write: UnsafePointer<StoreBatch.Writes.Record>,
        _ index: Int,
        of writes: StoreBatch.Writes,
        _ log: inout LogWriter,
        _ view: IndexView
    ) throws -> Bool {
        let size = StoredValue.encodedSize(of: integer)
        let begun = try begin(write, index, of: writes, size, nil, &log, view)
        guard isFirstOfKey(begun, of: writes, &log) else { return false }
        if let number = begun.number, view.table.entry(number).keeps(integer) {
            log.builder.cut(to: begun.offset)
            return true
        }
        log.builder.append(value: integer)
        log.plan.add(item(of: begun, size: size, integer: integer))
        return true
    }

    /// Plans one write whose value, if it has one, takes `size` bytes and is kept in memory; `false` when its key was met before.
    private static func planPlainWrite(
        _ write: UnsafePointer<StoreBatch.Writes.Record>,
        _ index: Int,
        of writes: StoreBatch.Writes,
        _ size: Int?,
        _ expiry: Int64?,
        _ log: inout LogWriter,
        _ view: IndexView
    ) throws -> Bool {
        if write.pointee.value?.isPlain == false { try validate(write, of: writes) }
        let begun = try begin(write, index, of: writes, size, expiry, &log, view)
        guard isFirstOfKey(begun, of: writes, &log) else { return false }
        let isChange =
            if let number = begun.number { view.changes(number, to: write.pointee.value, expiry) } else { size != nil }
        guard isChange else {
            log.builder.cut(to: begun.offset)
            return true
        }
        if let value = write.pointee.value { try log.builder.append(value) }
        log.plan.add(item(of: begun, size: size ?? 0))
        return true
    }

    @inline(never)
    private static func validate(_ write: UnsafePointer<StoreBatch.Writes.Record>, of writes: StoreBatch.Writes) throws
    {
        try writes.validate(write)
    }

    /// Plans one write whose value may stay in the file, or whose old value somebody wants to know; `false` when its key was met
    /// before.
    private static func planAnyWrite(
        _ index: Int,
        of writes: StoreBatch.Writes,
        _ expiry: Int64?,
        _ isObserved: Bool,
        _ shared: inout SharedTurn
    ) throws -> Bool {
        let write = writes[index]
        try write.validate()
        return try write.key.withBytes { key in
            let hash = shared.view.hash(key)
            let old = current(key, hash, &shared)
            if let number = old.number, shared.writer.log.plan.takes(number) { return false }
            var item = CommitPlan.Item(
                hash: hash,
                write: Int32(truncatingIfNeeded: index),
                number: Int32(truncatingIfNeeded: old.number ?? -1),
                offset: UInt32(truncatingIfNeeded: shared.writer.log.builder.length),
                keyOffset: 0,
                keyLength: UInt16(truncatingIfNeeded: key.count),
                size: 0
            )
            let count = writes.count
            if old.number == nil, count > 1 {
                let isNew = shared.writer.log.plan.note(index, of: count, hashed: hash) {
                    writes.haveSameKey($0, index)
                }
                if !isNew { return false }
            }
            if let value = write.value {
                // What expires is always written, as by `changes(_:to:_:)`.
                let mayBeEqual = expiry == nil && old.expiry == nil
                if mayBeEqual, old.value == value { return true }
                let size = LogValue.size(of: value)
                try shared.writer.log.checkLength(adding: size, shared.place.path)
                let encoded = try shared.writer.log.builder.set(key, value, size: size, until: expiry)
                if size > LogFormat.largestValueInMemory {
                    item.checksum = CRC32C.of(shared.writer.log.builder.bytes.slice(encoded))
                }
                // What differs by what is known of it need not be read.
                if mayBeEqual, let inFile = old.inFile, inFile.length == size, inFile.checksum == item.checksum,
                    try loadIfReadable(inFile, shared.place) == value
                {
                    shared.writer.log.builder.cut(to: Int(item.offset))
                    return true
                }
                item.size = UInt32(truncatingIfNeeded: size)
                item.keyOffset = UInt8(truncatingIfNeeded: encoded.lowerBound - key.count - Int(item.offset))
            } else {
                guard old.number != nil else { return true }
                shared.writer.log.builder.remove(key)
                item.keyOffset = UInt8(
                    truncatingIfNeeded: shared.writer.log.builder.length - key.count - Int(item.offset)
                )
            }
            shared.writer.log.plan.add(item)
            if isObserved, !StoreKey.isReserved(key) {
                let oldValue = try old.inFile.map { try loadIfReadable($0, shared.place) } ?? old.value
                if old.inFile != nil, oldValue == nil {
                    shared.writer.log.plan.knowsChanges = false
                } else if oldValue != write.value {
                    shared.writer.log.plan.changes.append(
                        StoreChange.Entry(key: write.key.text, old: oldValue, new: write.value)
                    )
                }
            }
            return true
        }
    }
}
