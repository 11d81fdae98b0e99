import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that look up, list, and count entries.
enum Reading {
    /// Returns the value for `key`, or `nil` if there is none.
    static func value(_ key: StoreKey, _ entrance: inout Entrance) throws -> StoredValue? {
        try entrance.checkUsable()
        try key.validate()
        return try key.withWords { key in
            let (hash, stateWord) = (entrance.view.hash.of(key), entrance.stateWord)
            var lookup = entrance.look { $0.find(key, hash, at: stateWord.pointee.load(ordering: .acquiring)) }
            while true {
                switch lookup {
                case .found(let value): return value
                case .absent: return nil
                case .inFile(let value): return try entrance.place.load(value)
                case .expiring(let value, let expiry):
                    return entrance.place.isExpired(expiry) ? .none : .some(value)
                case .expiringInFile(let value, let expiry):
                    let place = entrance.place
                    return try place.isExpired(expiry) ? .none : place.load(value)
                case .behind:
                    lookup = try Following.follow(&entrance, reading: { $0.find(key, hash, at: $0.word.rawValue) })
                }
            }
        }
    }

    /// Returns the string that a lock-free lookup found in an entry, or `nil` if the index has changed since the lookup.
    static func string(_ number: Int, at sequence: UInt64, _ entrance: inout Entrance) -> StoredValue? {
        let view = entrance.view
        // The lock keeps the string alive, and the view locates it.
        return entrance.look { _ in view.text(number, at: sequence) }
    }

    /// Returns the number of commits that all processes have made since this process opened the store.
    static func currentNumber(_ entrance: inout Entrance) throws -> UInt64 { try withIndex(&entrance) { $0.commits } }

    /// Runs `body` on an index that reflects all commits made so far by any process.
    static func withIndex<Result>(
        _ entrance: inout Entrance,
        _ body: (borrowing Index) throws -> Result
    ) throws -> Result {
        try entrance.checkUsable()
        let stateWord = entrance.stateWord
        let result: Result? = try entrance.look { index in
            guard index.word.rawValue == stateWord.pointee.load(ordering: .acquiring) else { return nil }
            return try body(index)
        }
        if let result { return result }
        return try Following.follow(&entrance, reading: body)
    }

    // MARK: Listing

    /// A listed entry, whose value may not have been read from the file yet.
    private struct Listed {
        var key: String
        var value: StoredValue
        var inFile: DeviceLog.Value?
    }

    /// Returns a consistent snapshot of the entries whose keys begin with `prefix`, sorted by key.
    ///
    /// See `KeyValueStore.entries(prefix:)`.
    static func entries(prefix: String, _ entrance: inout Entrance) throws -> [StoreEntry] {
        let place = entrance.place
        return try load(withIndex(&entrance) { list($0, prefix: prefix, place) }, place)
    }

    /// Returns the entries whose keys begin with `prefix`, sorted by key.
    ///
    /// The caller must hold the interprocess lock.
    static func entries(prefix: String, _ shared: inout SharedTurn) throws -> [StoreEntry] {
        let place = shared.place
        return try load(shared.look { list($0, prefix: prefix, place) }, place)
    }

    private static func list(_ index: borrowing Index, prefix: String, _ place: Place) -> [Listed] {
        var listed: [Listed] = []
        index.forEachKey(prefix: prefix, at: moment(index, place)) { number, key in
            let entry = index.entries.entry(number)
            let inFile = entry.isInFile ? index.valueInFile(number) : nil
            listed.append(Listed(key: key, value: entry.value, inFile: inFile))
        }
        return listed
    }

    /// Reads the values of the listed entries that are stored only in the log file.
    ///
    /// No lock is needed, because the snapshot's log file stays open and existing data in a log file never changes.
    private static func load(_ listed: [Listed], _ place: Place) throws -> [StoreEntry] {
        try listed.map { StoreEntry(key: $0.key, value: try $0.inFile.map(place.load) ?? $0.value) }
            .sorted { $0.key.precedesByBytes($1.key) }
    }

    /// Returns the sorted keys that begin with `prefix`, without reading their values.
    static func keys(prefix: String, _ entrance: inout Entrance) throws -> [String] {
        let place = entrance.place
        let keys = try withIndex(&entrance) { index in
            var keys: [String] = []
            index.forEachKey(prefix: prefix, at: moment(index, place)) { _, key in keys.append(key) }
            return keys
        }
        return keys.sorted { $0.precedesByBytes($1) }
    }

    /// Returns the current time for expiry checks, in milliseconds since 1970.
    ///
    /// Returns `Int64.min` without reading the clock if no entry has an expiry.
    static func moment(_ index: borrowing Index, _ place: Place) -> Int64 {
        index.entries.expiries.count > 0 ? place.now : .min
    }

    // MARK: Figures

    /// Returns statistics about the store and its file.
    static func statistics(_ entrance: inout Entrance) throws -> DeviceStoreStatistics {
        let failure = entrance.schedule.failure?.message
        do {
            let (entries, liveBytes, end, log) = try withIndex(&entrance) { index in
                (index.entries.count, index.entries.liveBytes, index.word.end, index.log)
            }
            return DeviceStoreStatistics(
                entries: entries,
                liveBytes: liveBytes,
                usedBytes: end,
                // Read without a lock, because this is a system call.
                fileBytes: try log.file.information().size,
                generation: log.generation,
                compactionFailure: failure
            )
        } catch {
            throw StoreError.device(error, entrance.place.path)
        }
    }
}
