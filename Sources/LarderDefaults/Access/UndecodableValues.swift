import Foundation
import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that back up undecodable values before they are overwritten.
///
/// A read that can't decode a value only records the key in memory. The next write to the key copies the undecodable value to a reserved
/// key.
enum UndecodableValues {
    /// The reserved key for backups of undecodable values if the names of their keys are too long for separate reserved keys.
    ///
    /// Early versions used this reserved key for all keys.
    private static let sharedPlace = StoreKey(reserved: ".defaults.undecodable")
    /// The keys under which an undecodable value was found in any store.
    ///
    /// The set may contain keys whose undecodable values have since been replaced.
    private static let noted = Mutex<Set<StoreKey>>([])
    private static let areAny = Atomic<Bool>(false)

    static func note(_ key: StoreKey) {
        noted.withLock { _ = $0.insert(key) }
        areAny.store(true, ordering: .releasing)
    }

    static func isNoted(_ key: StoreKey) -> Bool {
        areAny.load(ordering: .acquiring) && noted.withLock { $0.contains(key) }
    }

    /// Copies an undecodable value to a reserved key, unless an equal copy already exists.
    static func keep(_ stored: StoredValue, of key: StoreKey, in transaction: inout StoreTransaction) throws {
        var hashes = try hashes(of: key, &transaction)
        // Hashes the values that an early version kept without hashes.
        while let place = place(of: key, hashes.count), let kept = try transaction.get(place) {
            hashes.append(try hash(of: kept))
        }
        let hash = try hash(of: stored)
        guard !hashes.contains(hash) else { return }
        if let place = place(of: key, hashes.count), let hashesPlace = hashesPlace(of: key) {
            try transaction.set(stored, for: place)
            return try transaction.set(.data(Data((hashes + [hash]).joined())), for: hashesPlace)
        }
        // The name is too long for a separate reserved key.
        var record = Self.record(try transaction.get(sharedPlace))
        let kept = values(record[key.text])
        guard !kept.contains(stored) else { return }
        record[key.text] = .array(kept + [stored])
        try transaction.set(.dictionary(record), for: sharedPlace)
    }

    /// Returns the hashes of a key's backed-up values, or an empty array if no valid hashes are stored.
    private static func hashes(of key: StoreKey, _ transaction: inout StoreTransaction) throws -> [[UInt8]] {
        guard let hashesPlace = hashesPlace(of: key), case .data(let data)? = try transaction.get(hashesPlace),
            !data.isEmpty, data.count.isMultiple(of: hashLength)
        else { return [] }
        let count = data.count / hashLength
        // Early versions delete the values but not the hashes.
        guard let last = place(of: key, count - 1), try transaction.get(last) != nil else { return [] }
        let bytes = [UInt8](data)
        return (0..<count).map { Array(bytes[$0 * hashLength..<($0 + 1) * hashLength]) }
    }

    private static func hash(of value: StoredValue) throws -> [UInt8] { SHA256.of(try value.encoded()) }

    private static var hashLength: Int { SHA256.length }

    /// Returns the backed-up undecodable values of a key, oldest first.
    static func kept(of key: StoreKey, in store: any KeyValueStore) throws -> [StoredValue] {
        var all = values(record(try store.get(sharedPlace))[key.text])
        var number = 0
        while let place = place(of: key, number), let kept = try store.get(place) {
            all.append(kept)
            number += 1
        }
        return all
    }

    /// Deletes the backed-up undecodable values of a key.
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

    /// Returns the reserved key for the backed-up value with the given index, or `nil` if the name of `key` is too long.
    private static func place(of key: StoreKey, _ number: Int) -> StoreKey? { place(of: key, named: "\(number)") }

    /// Returns the reserved key for the hashes of the backed-up values, or `nil` if the name of `key` is too long.
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
