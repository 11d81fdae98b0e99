import LarderCore
import LarderFiles

/// What is stored, and of which state of the log: what reads need.
struct Index: ~Copyable {
    var entries: DeviceIndex
    /// What the entries reflect.
    ///
    /// Setting it ends a change: readers without a lock see the index again.
    var word: StateWord { didSet { entries.publish(word) } }
    var log: DeviceLog
    /// Commits seen so far, by any process.
    var commits: UInt64 = 0
    /// Where the last commit lies in the log; empty where that is not known.
    var lastFrame = 0..<0

    init(_ entries: consuming DeviceIndex, of log: DeviceLog, _ word: StateWord, lastFrame: Range<Int>) {
        self.entries = entries
        self.log = log
        self.word = word
        self.lastFrame = lastFrame
    }

    /// What a lookup came to.
    enum Lookup {
        case found(StoredValue)
        case absent
        case inFile(DeviceLog.Value)
        /// Another process has written.
        case behind
        /// Whether it is there still depends on the time.
        case expiring(StoredValue, Int64)
        case expiringInFile(DeviceLog.Value, Int64)
    }

    /// The value under `key`, if the index reflects `current`.
    @inline(__always)
    borrowing func find(_ key: UnsafeRawBufferPointer, _ hash: UInt64, at current: UInt64) -> Lookup {
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

    /// Where the value of an entry lies that was left in the file.
    borrowing func valueInFile(_ number: Int) -> DeviceLog.Value {
        let entry = entries.entry(number)
        return DeviceLog.Value(
            log: log,
            position: entries.position(number) + entries.valueOffset(number),
            length: entry.length,
            checksum: entry.checksum
        )
    }

    /// Calls `body` with the number and the key of every entry whose key begins with `prefix`, but Larder's own and those that have
    /// expired by `now`.
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

    /// Whether there are records of Larder's own, which no listing shows.
    borrowing func holdsReservedRecords() -> Bool {
        var isFound = false
        entries.forEachIndex { number in
            if entries.withKey(number, StoreKey.isReserved) { isFound = true }
        }
        return isFound
    }

    // MARK: Changing

    /// Applies a commit of another process.
    mutating func apply(_ found: FoundFrame, hash: KeyHash) throws {
        try entries.apply(found, hash: hash)
        commits += 1
        lastFrame = found.range
    }

    /// Goes over to another file: what is stored is the same, at other places.
    mutating func begin(_ log: DeviceLog) {
        self.log = log
        lastFrame = 0..<0
    }

    /// Puts other entries in the place of these; readers without a lock see them at once.
    mutating func replaceEntries(with new: inout DeviceIndex) {
        let view = entries.view
        swap(&entries, &new)
        if let view { entries.show(through: view, word) }
    }

    // MARK: What observers are told

    /// What a frame that another process wrote changes, before it is applied; `nil` if a value that it replaces can't be
    /// read any more, which must not keep a reader from others.
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
                // What has ended is absent, as for a reader.
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

    /// Whether a key of those bytes begins with what is reserved for Larder.
    static func isReserved(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.first == 0 && bytes.starts(with: reservedBytes)
    }
}
