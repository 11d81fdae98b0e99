import Foundation
import LarderCore
import LarderFiles
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
        var hashes = try hashes(of: key, &transaction)
        // Also what an early version kept, which noted no hashes.
        while let place = place(of: key, hashes.count), let kept = try transaction.get(place) {
            hashes.append(try hash(of: kept))
        }
        let hash = try hash(of: stored)
        guard !hashes.contains(hash) else { return }
        if let place = place(of: key, hashes.count), let hashesPlace = hashesPlace(of: key) {
            try transaction.set(stored, for: place)
            return try transaction.set(.data(Data((hashes + [hash]).joined())), for: hashesPlace)
        }
        // The name leaves no room for a number.
        var record = Self.record(try transaction.get(sharedPlace))
        let kept = values(record[key.text])
        guard !kept.contains(stored) else { return }
        record[key.text] = .array(kept + [stored])
        try transaction.set(.dictionary(record), for: sharedPlace)
    }

    /// The hashes of all values that are kept of a key, so that one more costs the same however many there are.
    private static func hashes(of key: StoreKey, _ transaction: inout StoreTransaction) throws -> [[UInt8]] {
        guard let hashesPlace = hashesPlace(of: key), case .data(let data)? = try transaction.get(hashesPlace),
            !data.isEmpty, data.count.isMultiple(of: hashLength)
        else { return [] }
        let count = data.count / hashLength
        // An early version discards the values alone.
        guard let last = place(of: key, count - 1), try transaction.get(last) != nil else { return [] }
        let bytes = [UInt8](data)
        return (0..<count).map { Array(bytes[$0 * hashLength..<($0 + 1) * hashLength]) }
    }

    private static func hash(of value: StoredValue) throws -> [UInt8] { SHA256.of(try value.encoded()) }

    private static var hashLength: Int { SHA256.length }

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
            if let hashesPlace = hashesPlace(of: key) { try transaction.remove(hashesPlace) }
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
    private static func place(of key: StoreKey, _ number: Int) -> StoreKey? { place(of: key, named: "\(number)") }

    /// Where the hashes of the values of a key are, one behind the other.
    private static func hashesPlace(of key: StoreKey) -> StoreKey? { place(of: key, named: "hashes") }

    private static func place(of key: StoreKey, named name: String) -> StoreKey? {
        let place = StoreKey(reserved: ".defaults.undecodable.\(name).\(key.text)")
        return place.text.utf8.count <= StoreKey.maximumLength ? place : nil
    }

    private static func record(_ stored: StoredValue?) -> StoredDictionary {
        if case .dictionary(let record) = stored { record } else { [:] }
    }

    private static func values(_ stored: StoredValue?) -> [StoredValue] {
        if case .array(let values) = stored { values } else { [] }
    }
}
