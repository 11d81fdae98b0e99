import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that validate and encode the writes of a commit before the store is changed.
enum Planner {
    // MARK: Expectations

    static func fulfils(_ request: CommitRequest, _ shared: inout SharedTurn) throws -> Bool {
        for expectation in request.expectations {
            switch expectation {
            case .value(let value, let key):
                let hash = key.rememberedHash != 0 ? key.rememberedHash : shared.view.hash.of(key)
                if try !key.withWords({ try holds(value, under: $0, hash, &shared) }) { return false }
            case .entries(let entries, let prefix):
                if try Reading.entries(prefix: prefix, &shared) != entries { return false }
            }
        }
        return true
    }

    private static func holds(
        _ value: StoredValue?,
        under key: KeyWords,
        _ hash: UInt64,
        _ shared: inout SharedTurn
    ) throws -> Bool {
        let view = shared.view
        guard let number = view.entryNumber(of: key, hash) else { return value == nil }
        let entry = view.table.entry(number)
        if entry.value.box == nil { return value.map { entry.keeps($0) } ?? false }
        let current = current(number, &shared)
        return try current.inFile.map(shared.place.load) ?? current.value == value
    }

    /// The current value and expiry of a key in the index.
    private struct Current {
        let expiry: Int64
        /// The value, or `nil` if it has expired or is not kept in memory.
        var value: StoredValue?
        var inFile: DeviceLog.Value?
    }

    private static func current(_ number: Int, _ shared: inout SharedTurn) -> Current {
        let (entry, inFile) = shared.look { index in
            let entry = index.entries.entry(number)
            return (entry, entry.isInFile ? index.valueInFile(number) : nil)
        }
        if shared.place.isExpired(entry.expiry) { return Current(expiry: entry.expiry) }
        return Current(expiry: entry.expiry, value: inFile == nil ? entry.value : nil, inFile: inFile)
    }

    /// Reads the old value of a key from the log file, or returns `nil` if the value is corrupt.
    ///
    /// Corruption of the old value must not prevent a commit from replacing it.
    private static func loadIfReadable(_ value: DeviceLog.Value, _ place: Place) throws -> StoredValue? {
        do {
            return try place.load(value)
        } catch let error as StoreError where error.isOfUnreadableValue {
            return nil
        }
    }

    // MARK: Writes

    /// The result of planning one write.
    private enum Step {
        /// The write was not planned, because an earlier write of the request has the same key.
        case repeated
        case unchanged
        case planned
        /// The write was planned. Its value is too large for the index, so only the file will contain it.
        case plannedInFile
    }

    /// Plans the writes of a request, and encodes the writes that have an effect into the frame.
    ///
    /// Returns `false`, with an incomplete plan, if two writes have the same key.
    static func plan(_ request: CommitRequest, _ shared: inout SharedTurn) throws -> Bool {
        let (view, isObserved) = (shared.view, shared.observers.isObserved)
        shared.writer.log.plan.begin(request.count, isObserved: isObserved)
        shared.writer.log.builder.begin()
        var isRepeated = false
        try request.forEachPiece { writes, first in
            guard let start = writes.baseAddress else { return true }
            for place in 0..<writes.count {
                switch try plan(start + place, first + place, of: request, &shared.writer.log, view) {
                case .repeated:
                    isRepeated = true
                    return false
                case .unchanged: continue
                case .planned: if isObserved { try compare(start[place], request, isObserved, &shared) }
                case .plannedInFile: try compare(start[place], request, isObserved, &shared)
                }
            }
            return true
        }
        return !isRepeated
    }

    /// Returns the last write to each key, in the order in which the keys first occur.
    static func lastWrites(of request: CommitRequest) -> [StoreBatch.Write] {
        var places: [StoreKey: Int] = [:]
        var last: [StoreBatch.Write] = []
        request.forEachPiece { writes, _ in
            for write in writes {
                if let place = places[write.key] {
                    last[place] = write
                } else {
                    places[write.key] = last.count
                    last.append(write)
                }
            }
            return true
        }
        return last
    }

    /// Validates, plans and encodes one write of a request.
    ///
    /// The parameters are limited to the log and the view of the index, so the optimizer can assume that no other state changes.
    @inline(__always)
    private static func plan(
        _ write: UnsafePointer<StoreBatch.Write>,
        _ index: Int,
        of request: CommitRequest,
        _ log: inout LogWriter,
        _ view: IndexView
    ) throws -> Step {
        try request.withKey(write, view.hash) { try plan($0, hashed: $1, write, index, of: request, &log, view) }
    }

    private static func plan(
        _ key: KeyWords,
        hashed hash: UInt64,
        _ write: UnsafePointer<StoreBatch.Write>,
        _ index: Int,
        of request: CommitRequest,
        _ log: inout LogWriter,
        _ view: IndexView
    ) throws -> Step {
        if key.count > LogFormat.maximumKeyLength || key.firstByte == 0 { try write.pointee.key.validate() }
        let number = view.entryNumber(of: key, hash)
        if let number {
            if log.plan.takes(number) { return .repeated }
        } else if log.plan.adds(hashed: hash, { request[Int($0.write)].key == write.pointee.key }) {
            return .repeated
        }
        var item = CommitPlan.Item(
            hash: hash,
            write: Int32(truncatingIfNeeded: index),
            number: Int32(truncatingIfNeeded: number ?? -1),
            offset: UInt32(truncatingIfNeeded: log.builder.length)
        )
        if case .int(let integer)? = write.pointee.value {
            // Fast path for integers, the most common values, which need no reference counting.
            if let number, request.mayBeUnchanged, view.table.entry(number).keeps(integer) { return .unchanged }
            let size = StoredValue.encodedSize(of: integer)
            try log.checkLength(adding: size, log.log.file.path)
            log.builder.set(key, integer, size: size, until: request.expiry)
            item.size = UInt32(truncatingIfNeeded: size)
            log.plan.add(item)
            return .planned
        }
        return try plan(&item, key, write, of: request, &log, view)
    }

    /// Plans and encodes a removal, or a write of a value other than an integer.
    private static func plan(
        _ item: inout CommitPlan.Item,
        _ key: KeyWords,
        _ write: UnsafePointer<StoreBatch.Write>,
        of request: CommitRequest,
        _ log: inout LogWriter,
        _ view: IndexView
    ) throws -> Step {
        let number = item.number >= 0 ? Int(item.number) : nil
        guard let value = write.pointee.value else {
            guard number != nil else { return .unchanged }
            try log.checkLength(log.log.file.path)
            log.builder.remove(key)
            log.plan.add(item)
            return .planned
        }
        if !value.isPlain { try value.validate(under: write.pointee.key) }
        if let number, request.mayBeUnchanged, view.table.entry(number).keeps(value) { return .unchanged }
        let size = LogValue.size(of: value)
        try log.checkLength(adding: size, log.log.file.path)
        try log.builder.set(key, value, size: size, until: request.expiry)
        item.size = UInt32(truncatingIfNeeded: size)
        guard size > LogFormat.largestValueInMemory else {
            log.plan.add(item)
            return .planned
        }
        item.checksum = log.builder.checksumOfLastValue(size)
        log.plan.add(item)
        return .plannedInFile
    }

    /// Compares the last planned write with the value that the write replaces.
    ///
    /// If the file contains an equal value, removes the write from the plan. Otherwise, records the change for observers.
    private static func compare(
        _ write: StoreBatch.Write,
        _ request: CommitRequest,
        _ isObserved: Bool,
        _ shared: inout SharedTurn
    ) throws {
        let place = shared.place
        let item = shared.writer.log.plan.items[shared.writer.log.plan.items.count - 1]
        let old = item.number < 0 ? nil : current(Int(item.number), &shared)
        // A value with a different length or checksum is not equal, so it need not be read.
        if request.mayBeUnchanged, let inFile = old?.inFile, old?.expiry == .max, inFile.length == item.size,
            inFile.checksum == item.checksum, try loadIfReadable(inFile, place) == write.value
        {
            shared.writer.log.plan.removeLast()
            shared.writer.log.builder.cut(to: Int(item.offset))
            return
        }
        guard isObserved, !write.key.isReserved else { return }
        let oldValue = try old?.inFile.map { try loadIfReadable($0, place) } ?? old?.value
        if old?.inFile != nil, oldValue == nil {
            shared.writer.log.plan.hasAllChanges = false
        } else if oldValue != write.value {
            shared.writer.log.plan.changes.append(
                StoreChange.Entry(key: write.key.text, old: oldValue, new: write.value)
            )
        }
    }
}
