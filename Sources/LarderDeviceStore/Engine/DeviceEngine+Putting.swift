import LarderCore
import LarderFiles
import Synchronization

// A commit of one key, which most are, without the detour of a batch.
extension DeviceEngine {
    /// What one key must hold for another one to be written.
    struct Condition {
        let key: StoreKey
        let number: Int64
        /// Whether the key has never held the value to be written, and no one else has its bytes.
        let isFresh: Bool
    }

    /// Sets or removes one key: what most commits do, without the detour of a batch.
    ///
    /// - Returns: As ``commit(_:until:isToBeSynced:)``, which it equals in everything else as well.
    @discardableResult
    func put(
        _ value: StoredValue?,
        for key: StoreKey,
        until expiry: Int64? = nil,
        if condition: Condition? = nil
    ) throws -> UInt64? {
        let size = value.map(LogValue.size) ?? 0
        guard value?.isPlain != false, size <= LogFormat.largestValueInMemory, !isObserved else {
            var batch = StoreBatch()
            if let condition { batch.expect(.int(condition.number), at: condition.key) }
            batch.write(value, for: key)
            return try commit(batch, until: expiry)
        }
        try checkUsable()
        guard control != nil else { throw StoreError.readOnlyLog(path) }
        return try key.withBytes { bytes in
            try key.check(bytes)
            let hashed = key.rememberedHash != 0 ? key.rememberedHash : hash(bytes)
            return try put(value, size: size, for: bytes, hashed: hashed, until: expiry, if: condition)
        }
    }

    /// ``put(_:for:until:if:)`` for a key that is a text: its references need not be counted.
    func put(_ value: StoredValue, for key: String) throws {
        let size = LogValue.size(of: value)
        guard value.isPlain, size <= LogFormat.largestValueInMemory, !isObserved, control != nil else {
            try put(value, for: StoreKey(key))
            return
        }
        try checkUsable()
        let isDone = try key.utf8.withContiguousStorageIfAvailable { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            // Whatever is not plain is looked at more closely, and refused, elsewhere.
            guard bytes.count <= LogFormat.maximumKeyLength, bytes.first != 0 else { return false }
            _ = try put(value, size: size, for: bytes, hashed: hash(bytes), until: nil, if: nil)
            return true
        }
        if isDone != true { try put(value, for: StoreKey(key)) }
    }

    @inline(__always)
    private func put(
        _ value: StoredValue?,
        size: Int,
        for key: UnsafeRawBufferPointer,
        hashed: UInt64,
        until expiry: Int64?,
        if condition: Condition?
    ) throws -> UInt64? {
        view.prefetch(hashed: hashed)
        return try settling {
            if case .int(let integer) = value, expiry == nil, condition == nil {
                return try putUnderLocks(integer, size: size, for: key, hashed: hashed)
            }
            return try putUnderLocks(value, size: size, for: key, hashed: hashed, until: expiry, if: condition)
        }
    }

    /// What most puts are: an integer that never expires, in which there are no references to be counted.
    ///
    /// In one piece of its own, that it is in the program once, however often it is attempted.
    @inline(never)
    private func putUnderLocks(
        _ integer: Int64,
        size: Int,
        for key: UnsafeRawBufferPointer,
        hashed: UInt64
    ) throws -> Outcome {
        try withBothLocks { writer in
            guard let entry = entryNumber(of: key, hashed) else {
                return try put(.int(integer), size: size, for: key, hashed: hashed, until: nil, if: nil, &writer)
            }
            if view.table.entry(entry).keeps(integer) { return unchanged(writer) }
            writer.builder.begin()
            writer.builder.set(key, integer, size: size)
            let number = try writeFrame(&writer, replacesOnly: true) { memory, _, start in
                let position = start + LogFormat.prologueSize
                memory.index.replace(entry, with: IndexValue(integer), length: size, at: position)
            }
            // Somebody who has come since this was begun, and may have read what was there before.
            if isObserved { publishMissed(1) }
            return Outcome(number: number, end: writer.end.offset, live: writer.live)
        }
    }

    /// The same for any value that memory keeps, and for removals.
    @inline(never)
    private func putUnderLocks(
        _ value: StoredValue?,
        size: Int,
        for key: UnsafeRawBufferPointer,
        hashed: UInt64,
        until expiry: Int64?,
        if condition: Condition?
    ) throws -> Outcome {
        try withBothLocks { writer in
            try put(value, size: size, for: key, hashed: hashed, until: expiry, if: condition, &writer)
        }
    }

    // MARK: Under both locks, with everything that others wrote read

    private func unchanged(_ writer: borrowing Writer) -> Outcome {
        Outcome(number: memory.withLock { $0.commits }, end: writer.end.offset, live: writer.live)
    }

    private func holds(_ condition: Condition) -> Bool {
        condition.key.withBytes { key in
            entryNumber(of: key, hash(key)).map { view.table.entry($0).keeps(condition.number) } ?? false
        }
    }

    private func put(
        _ value: StoredValue?,
        size: Int,
        for key: UnsafeRawBufferPointer,
        hashed: UInt64,
        until expiry: Int64?,
        if condition: Condition?,
        _ writer: inout Writer
    ) throws -> Outcome {
        if let condition, !holds(condition) {
            return Outcome(number: nil, end: writer.end.offset, live: writer.live)
        }
        let isFresh = condition?.isFresh ?? false
        let standing: Standing =
            if isFresh {
                entryNumber(of: key, hashed).map { .present($0) } ?? .absent
            } else {
                standing(of: key, hashed, beside: value, expiry)
            }
        let entry: Int?
        switch standing {
        case .unchanged: return unchanged(writer)
        case .absent: entry = nil
        case .present(let found): entry = found
        }
        writer.builder.begin()
        if let value {
            _ = try writer.builder.set(key, value, size: size, until: expiry)
        } else {
            writer.builder.remove(key)
        }
        let number = try writeFrame(&writer, replacesOnly: entry != nil) { memory, _, start in
            guard let value else { return memory.index.remove(key, hashed: hashed) }
            let kept = isFresh ? value : value.withOwnBytes
            let new = DeviceIndex.Entry(value: kept, length: size, checksum: 0, expiry: expiry)
            let position = start + LogFormat.prologueSize
            if let entry {
                memory.index.replace(entry, with: new, at: position)
            } else {
                memory.index.set(new, for: key, hashed: hashed, at: position)
            }
        }
        if isObserved { publishMissed(1) }
        return Outcome(number: number, end: writer.end.offset, live: writer.live)
    }
}
