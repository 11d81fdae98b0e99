import LarderCore
import LarderFiles
import Synchronization

// A commit of one key, which most are, without the detour of a batch.
extension Commit {
    /// What one key must hold for another one to be written.
    struct Condition {
        let key: StoreKey
        let number: Int64
        /// Whether the key has never held the value to be written, and no one else has its bytes.
        let isFresh: Bool
    }

    /// Sets or removes one key: what most commits do, without the detour of a batch.
    ///
    /// - Returns: As ``run(_:until:isToBeSynced:_:)``, which it equals in everything else as well.
    @discardableResult
    static func put(
        _ value: StoredValue?,
        for key: StoreKey,
        until expiry: Int64? = nil,
        if condition: Condition? = nil,
        _ entrance: inout Entrance
    ) throws -> UInt64? {
        let size = value.map(LogValue.size) ?? 0
        guard
            value?.isPlain != false, size <= LogFormat.largestValueInMemory, !entrance.observers.isObserved
        else {
            var batch = StoreBatch()
            if let condition { batch.expect(.int(condition.number), at: condition.key) }
            batch.write(value, for: key)
            return try run(batch, until: expiry, &entrance)
        }
        try entrance.checkUsable()
        guard entrance.page != nil else { throw StoreError.readOnlyLog(entrance.place.path) }
        return try key.withBytes { bytes in
            try key.check(bytes)
            let hashed = key.rememberedHash != 0 ? key.rememberedHash : entrance.view.hash(bytes)
            return try put(value, size: size, for: bytes, hashed: hashed, until: expiry, if: condition, &entrance)
        }
    }

    /// ``put(_:for:until:if:_:)`` for a key that is a string: its references need not be counted.
    static func put(_ value: StoredValue, for key: String, _ entrance: inout Entrance) throws {
        let size = LogValue.size(of: value)
        guard
            value.isPlain, size <= LogFormat.largestValueInMemory, !entrance.observers.isObserved, entrance.page != nil
        else {
            try put(value, for: StoreKey(key), &entrance)
            return
        }
        try entrance.checkUsable()
        let isDone = try key.utf8.withContiguousStorageIfAvailable { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            // Whatever is not plain is looked at more closely, and refused, elsewhere.
            guard bytes.count <= LogFormat.maximumKeyLength, bytes.first != 0 else { return false }
            let hashed = entrance.view.hash(bytes)
            _ = try put(value, size: size, for: bytes, hashed: hashed, until: nil, if: nil, &entrance)
            return true
        }
        if isDone != true { try put(value, for: StoreKey(key), &entrance) }
    }

    @inline(__always)
    private static func put(
        _ value: StoredValue?,
        size: Int,
        for key: UnsafeRawBufferPointer,
        hashed: UInt64,
        until expiry: Int64?,
        if condition: Condition?,
        _ entrance: inout Entrance
    ) throws -> UInt64? {
        entrance.view.prefetch(hashed: hashed)
        return try settling(&entrance) { entrance in
            if case .int(let integer) = value, expiry == nil, condition == nil {
                return try putInteger(integer, size: size, for: key, hashed: hashed, &entrance)
            }
            return try putAny(value, size: size, for: key, hashed: hashed, until: expiry, if: condition, &entrance)
        }
    }

    /// What most puts are: an integer that never expires, in which there are no references to be counted.
    ///
    /// In one piece of its own, that it is in the program once, however often it is attempted.
    @inline(never)
    private static func putInteger(
        _ integer: Int64,
        size: Int,
        for key: UnsafeRawBufferPointer,
        hashed: UInt64,
        _ entrance: inout Entrance
    ) throws -> Outcome {
        try entrance.commit { shared in
            let view = shared.view
            guard let entry = view.entryNumber(of: key, hashed) else {
                return try put(.int(integer), size: size, for: key, hashed: hashed, until: nil, if: nil, &shared)
            }
            if view.table.entry(entry).keeps(integer) { return unchanged(&shared) }
            shared.writer.log.builder.begin()
            shared.writer.log.builder.set(key, integer, size: size)
            let number = try writeFrame(&shared, replacesOnly: true) { index, _, start in
                let position = start + LogFormat.prologueSize
                index.entries.replace(entry, with: IndexValue(integer), length: size, at: position)
            }
            // An observer may have come since this was begun, and may have read what was there before.
            if shared.observers.isObserved { Observers.publishMissed(1, &shared.writer) }
            return outcome(number, shared)
        }
    }

    /// The same for any value that memory keeps, and for removals.
    @inline(never)
    private static func putAny(
        _ value: StoredValue?,
        size: Int,
        for key: UnsafeRawBufferPointer,
        hashed: UInt64,
        until expiry: Int64?,
        if condition: Condition?,
        _ entrance: inout Entrance
    ) throws -> Outcome {
        try entrance.commit { shared in
            try put(value, size: size, for: key, hashed: hashed, until: expiry, if: condition, &shared)
        }
    }

    // MARK: While no process writes

    private static func unchanged(_ shared: inout SharedTurn) -> Outcome {
        outcome(shared.look { $0.commits }, shared)
    }

    private static func holds(_ condition: Condition, _ view: IndexView) -> Bool {
        condition.key.withBytes { key in
            view.entryNumber(of: key, view.hash(key)).map { view.table.entry($0).keeps(condition.number) } ?? false
        }
    }

    private static func put(
        _ value: StoredValue?,
        size: Int,
        for key: UnsafeRawBufferPointer,
        hashed: UInt64,
        until expiry: Int64?,
        if condition: Condition?,
        _ shared: inout SharedTurn
    ) throws -> Outcome {
        if let condition, !holds(condition, shared.view) {
            return outcome(nil, shared)
        }
        let isFresh = condition?.isFresh ?? false
        let view = shared.view
        let standing: IndexView.Standing =
            if isFresh {
                view.entryNumber(of: key, hashed).map { .present($0) } ?? .absent
            } else {
                view.standing(of: key, hashed, beside: value, expiry)
            }
        let entry: Int?
        switch standing {
        case .unchanged: return unchanged(&shared)
        case .absent: entry = nil
        case .present(let found): entry = found
        }
        shared.writer.log.builder.begin()
        if let value {
            _ = try shared.writer.log.builder.set(key, value, size: size, until: expiry)
        } else {
            shared.writer.log.builder.remove(key)
        }
        let number = try writeFrame(&shared, replacesOnly: entry != nil) { index, _, start in
            guard let value else { return index.entries.remove(key, hashed: hashed) }
            let kept = isFresh ? value : value.withOwnBytes
            let new = DeviceIndex.Entry(value: kept, length: size, checksum: 0, expiry: expiry)
            let position = start + LogFormat.prologueSize
            if let entry {
                index.entries.replace(entry, with: new, at: position)
            } else {
                index.entries.set(new, for: key, hashed: hashed, at: position)
            }
        }
        if shared.observers.isObserved { Observers.publishMissed(1, &shared.writer) }
        return outcome(number, shared)
    }
}
