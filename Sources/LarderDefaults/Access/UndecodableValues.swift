import LarderCore
import Synchronization

/// Keeps what could not be read when something is written over it, in the store's reserved space.
///
/// Reading never writes. So a failed read is only noted, and the value is copied when the key is written next.
enum UndecodableValues {
    /// One record for all keys whose names are very long; early versions kept everything here.
    private static let sharedPlace = StoreKey(reserved: ".defaults.undecodable")
    /// Names that some store had an unreadable value under.
    ///
    /// One too many costs a look, and nothing else.
    private static let noted = Mutex<Set<StoreKey>>([])

    static func note(_ key: StoreKey) {
        guard noted.withLock({ $0.insert(key).inserted }) else { return }
        Detours.noteName()
    }

    static func isNoted(_ key: StoreKey) -> Bool { !Detours.areNone && noted.withLock { $0.contains(key) } }

    /// Adds what is stored under the key to what is kept, each value under a key of its own.
    static func keep(_ stored: StoredValue, of key: StoreKey, in transaction: inout StoreTransaction) throws {
        var number = 0
        while let place = place(of: key, number) {
            guard let kept = try transaction.get(place) else { return try transaction.set(stored, for: place) }
            if kept == stored { return }
            number += 1
        }
        // The name leaves no room for a number.
        var record = Self.record(try transaction.get(sharedPlace))
        let kept = values(record[key.text])
        guard !kept.contains(stored) else { return }
        record[key.text] = .array(kept + [stored])
        try transaction.set(.dictionary(record), for: sharedPlace)
    }

    /// What is kept of a key, oldest first.
    static func kept(of key: StoreKey, in store: any KeyValueStore) throws -> [StoredValue] {
        var all = values(record(try store.get(sharedPlace))[key.text])
        var number = 0
        while let place = place(of: key, number), let kept = try store.get(place) {
            all.append(kept)
            number += 1
        }
        return all
    }

    /// Forgets what is kept of a key.
    static func discard(_ key: StoreKey, in store: any KeyValueStore) throws {
        try store.transaction { transaction in
            var number = 0
            while let place = place(of: key, number), try transaction.get(place) != nil {
                try transaction.remove(place)
                number += 1
            }
            var record = Self.record(try transaction.get(sharedPlace))
            guard record[key.text] != nil else { return }
            record[key.text] = nil
            if record.isEmpty {
                try transaction.remove(sharedPlace)
            } else {
                try transaction.set(.dictionary(record), for: sharedPlace)
            }
        }
    }

    /// Where one value of a key is kept; `nil` if the key is too long for that.
    private static func place(of key: StoreKey, _ number: Int) -> StoreKey? {
        let place = StoreKey(reserved: ".defaults.undecodable.\(number).\(key.text)")
        return place.text.utf8.count <= StoreKey.maximumLength ? place : nil
    }

    private static func record(_ stored: StoredValue?) -> StoredDictionary {
        if case .dictionary(let record) = stored { record } else { [:] }
    }

    private static func values(_ stored: StoredValue?) -> [StoredValue] {
        if case .array(let values) = stored { values } else { [] }
    }
}
