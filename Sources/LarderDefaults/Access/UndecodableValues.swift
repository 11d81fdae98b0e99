import LarderCore
import Synchronization

/// Keeps what could not be read when something is written over it, in the store's reserved space.
///
/// Reading never writes. So a failed read is only noted, and the value is copied when the key is written next.
enum UndecodableValues {
    private static let place = StoreKey(reserved: ".defaults.undecodable")
    /// Names that some store had an unreadable value under.
    ///
    /// One too many costs a look, and nothing else.
    private static let noted = Mutex<Set<StoreKey>>([])

    static func note(_ key: StoreKey) {
        guard noted.withLock({ $0.insert(key).inserted }) else { return }
        Detours.noteName()
    }

    static func isNoted(_ key: StoreKey) -> Bool { !Detours.areNone && noted.withLock { $0.contains(key) } }

    /// Adds what is stored under the key to what is kept.
    static func keep(_ stored: StoredValue, of key: StoreKey, in transaction: inout StoreTransaction) throws {
        var record = Self.record(try transaction.get(place))
        var kept = values(record[key.text])
        guard !kept.contains(stored) else { return }
        kept.append(stored)
        record[key.text] = .array(kept)
        try transaction.set(.dictionary(record), for: place)
    }

    /// What is kept of a key, oldest first.
    static func kept(of key: StoreKey, in store: any KeyValueStore) throws -> [StoredValue] {
        values(record(try store.get(place))[key.text])
    }

    /// Forgets what is kept of a key.
    static func discard(_ key: StoreKey, in store: any KeyValueStore) throws {
        try store.transaction { transaction in
            var record = Self.record(try transaction.get(place))
            guard record[key.text] != nil else { return }
            record[key.text] = nil
            if record.isEmpty {
                try transaction.remove(place)
            } else {
                try transaction.set(.dictionary(record), for: place)
            }
        }
    }

    private static func record(_ stored: StoredValue?) -> StoredDictionary {
        if case .dictionary(let record) = stored { record } else { [:] }
    }

    private static func values(_ stored: StoredValue?) -> [StoredValue] {
        if case .array(let values) = stored { values } else { [] }
    }
}
