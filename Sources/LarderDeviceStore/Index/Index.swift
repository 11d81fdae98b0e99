import LarderCore
import LarderFiles

/// The in-memory index of a store, and the state of the log that the index reflects.
struct Index: ~Copyable {
    var entries: DeviceIndex
    /// The state of the log that the entries reflect.
    ///
    /// Setting this property completes a change and lets lock-free readers use the index again.
    var word: StateWord { didSet { entries.publish(word) } }
    var log: DeviceLog
    /// The number of commits that this process has made or read since it opened the store.
    var commits: UInt64 = 0
    /// The byte range of the last commit in the log, which is empty if the range is unknown.
    var lastFrame = 0..<0

    init(_ entries: consuming DeviceIndex, of log: DeviceLog, _ word: StateWord, lastFrame: Range<Int>) {
        self.entries = entries
        self.log = log
        self.word = word
        self.lastFrame = lastFrame
    }

    /// The result of looking up a key in the index.
    enum Lookup {
        case found(StoredValue)
        case absent
        case inFile(DeviceLog.Value)
        /// The index is stale, because another process has written to the log.
        case behind
        /// A value and its expiry in milliseconds since 1970, which the caller must compare with the clock.
        case expiring(StoredValue, Int64)
        case expiringInFile(DeviceLog.Value, Int64)
    }

    /// Looks up `key`, or returns `.behind` if the index does not reflect `current`, the state of the log in shared memory.
    @inline(__always)
    borrowing func find(_ key: KeyWords, _ hash: UInt64, at current: UInt64) -> Lookup {
        guard word.rawValue == current else { return .behind }
        guard let number = entries.find(key, hashed: hash) else { return .absent }
        let value = entries.table.entry(number).value
        return value.box == nil ? .found(value.unboxed) : special(number)
    }

    @inline(never)
    private borrowing func special(_ number: Int) -> Lookup {
        let entry = entries.entry(number)
        switch (entry.isInFile, entry.expiry) {
        case (true, .max): return .inFile(valueInFile(number))
        case (true, let expiry): return .expiringInFile(valueInFile(number), expiry)
        case (false, .max): return .found(entry.value)
        case (false, let expiry): return .expiring(entry.value, expiry)
        }
    }

    /// Returns the location in the log file of an entry's value.
    borrowing func valueInFile(_ number: Int) -> DeviceLog.Value {
        let entry = entries.entry(number)
        return DeviceLog.Value(
            log: log,
            position: entries.position(number) + entries.valueOffset(number),
            length: entry.length,
            checksum: entry.checksum
        )
    }

    /// Calls `body` with the index and the key of each entry whose key begins with `prefix`.
    ///
    /// Reserved keys and entries that have expired by `now` are skipped.
    borrowing func forEachKey(prefix: String, at now: Int64, _ body: (Int, String) -> Void) {
        var prefix = prefix
        prefix.withUTF8 { prefix in
            entries.forEachIndex { number in
                entries.withKey(number) { key in
                    guard key.starts(with: prefix), !StoreKey.isReserved(key), entries.expiry(number) > now
                    else { return }
                    body(number, String(decoding: key, as: UTF8.self))
                }
            }
        }
    }

    /// Returns whether the store contains records with reserved keys.
    borrowing func holdsReservedRecords() -> Bool {
        var isFound = false
        entries.forEachIndex { number in
            if entries.withKey(number, StoreKey.isReserved) { isFound = true }
        }
        return isFound
    }

    // MARK: Changing

    /// Applies a commit made by another process.
    mutating func apply(_ found: FoundFrame, hash: KeyHash) throws {
        try entries.apply(found, hash: hash)
        commits += 1
        lastFrame = found.range
    }

    /// Switches to another log file, which contains the same entries at different offsets.
    mutating func begin(_ log: DeviceLog) {
        self.log = log
        lastFrame = 0..<0
    }

    /// Replaces all entries with those of `new`.
    ///
    /// Lock-free readers see the new entries immediately.
    mutating func replaceEntries(with new: inout DeviceIndex) {
        let view = entries.view
        swap(&entries, &new)
        if let view { entries.show(through: view, word) }
    }

    // MARK: Events for observers

    /// Returns the store change that applying the frame `found` to the index would make.
    ///
    /// - Returns: The change, or `nil` if a previous value is corrupt or can't be read.
    borrowing func change(
        by found: FoundFrame,
        at now: Int64,
        load: (DeviceLog.Value) throws -> StoredValue?
    ) throws -> StoreChange? {
        do {
            return try readableChange(by: found, at: now, load: load)
        } catch let error as StoreError where error.isOfUnreadableValue {
            return nil
        }
    }

    private borrowing func readableChange(
        by found: FoundFrame,
        at now: Int64,
        load: (DeviceLog.Value) throws -> StoredValue?
    ) throws -> StoreChange {
        var changes: [StoreChange.Entry] = []
        try found.forEachEntry { entry, _ in
            let key = found.bytes.slice(entry.key)
            guard !StoreKey.isReserved(key) else { return }
            var old: StoredValue?
            if let number = entries.find(key) {
                let entry = entries.entry(number)
                // An expired value is treated as absent, as in reads.
                let hasEnded = entry.expiry <= now
                old = try hasEnded ? nil : entry.isInFile ? load(valueInFile(number)) : entry.value
            }
            let new = entry.kind == .removed ? nil : LogValue.decode(found.bytes.slice(entry.value))
            guard old != new else { return }
            changes.append(StoreChange.Entry(key: String(decoding: key, as: UTF8.self), old: old, new: new))
        }
        return StoreChange(entries: changes, origin: .anotherProcess)
    }
}

extension StoreKey {
    private static let reservedBytes = Array(reservedPrefix.utf8)

    /// Returns whether `bytes` form a key that is reserved for Larder's internal records.
    static func isReserved(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.first == 0 && bytes.starts(with: reservedBytes)
    }
}
