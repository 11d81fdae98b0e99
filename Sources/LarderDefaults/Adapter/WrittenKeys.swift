import Foundation
import LarderCore
import LarderFiles
import Synchronization

/// A persistent record of the names of the keys that adapters have written, so that `removeAll` can find these keys.
///
/// For each key store, reserved keys hold the number of names and a record of each name. In a store that replicates, machines that write
/// their first values at once would conflict there, so such a store holds a ``WrittenNameTree`` instead. A name stays recorded after its
/// value is removed, because another process may have cached the name.
///
/// `Documentation/Formats/typed-defaults-v1.md` specifies the records.
final class WrittenKeys: Sendable {
    private struct Known: Hashable {
        let keyStore: ObjectIdentifier
        let key: StoreKey
    }

    /// The reserved key under which early versions recorded the written keys of all key stores.
    private static let formerPlace = StoreKey(reserved: ".defaults.written")
    private let store: any KeyValueStore
    private let known = Mutex(Set<Known>())
    /// A lock-free cache of key names that are known to be recorded in the store.
    private let marks = KeyMarks()

    init(_ store: any KeyValueStore) { self.store = store }

    /// Returns whether a key's name is in the lock-free cache of recorded names.
    ///
    /// - Parameters:
    ///   - name: The name to look up, with a cached hash.
    ///   - keyStore: The key store that declares the key.
    /// - Returns: `true` if the name is in the cache. A name that is not in the cache may still be recorded.
    func isMarked(_ name: StoreKey, of keyStore: KeyStoreIdentity) -> Bool { marks.has(name, of: keyStore.type) }

    /// Adds a key's name to the store's list of written keys, unless the name is already listed.
    ///
    /// Call this method before the key is written.
    func insert(_ name: StoreKey, of keyStore: KeyStoreIdentity) {
        let name = name.rememberingHash()
        guard !isMarked(name, of: keyStore) else { return }
        let known = Known(keyStore: keyStore.type, key: name)
        let isKnown = self.known.withLock { $0.contains(known) }
        do {
            if !isKnown {
                // Skips a key that no store accepts. Writing its value reports the error.
                guard name.isValid else { return }
                try record(name.text, of: keyStore.name)
                self.known.withLock { _ = $0.insert(known) }
            }
            marks.set(name, of: keyStore.type)
        } catch {
            store.issues.report(
                LarderIssue(
                    .degraded,
                    "The name of the key \(name.text.debugDescription) could not be recorded, so `removeAll` may not remove its value. Remove this key separately.",
                    key: name.text,
                    underlying: error
                )
            )
        }
    }

    private func record(_ name: String, of keyStore: String) throws {
        if store.capabilities.replicates { return try WrittenNameTree(keyStore).insert(name, in: store) }
        let places = Places(keyStore)
        try store.transaction { transaction in
            var former = Self.record(try transaction.get(Self.formerPlace))
            for name in Self.names(former[keyStore]) { try Self.add(name, at: places, &transaction) }
            if former[keyStore] != nil {
                former[keyStore] = nil
                if former.isEmpty {
                    try transaction.remove(Self.formerPlace)
                } else {
                    try transaction.set(.dictionary(former), for: Self.formerPlace)
                }
            }
            try Self.add(name, at: places, &transaction)
        }
    }

    private static func add(_ name: String, at places: Places, _ transaction: inout StoreTransaction) throws {
        let mark = places.mark(of: name)
        guard try transaction.get(mark) == nil else { return }
        let count = count(try transaction.get(places.count))
        try transaction.set(.string(name), for: places.name(count))
        try transaction.set(.int(count), for: mark)
        try transaction.set(.int(count + 1), for: places.count)
    }

    /// Returns the recorded names of the keys in a key store, including names that other processes recorded.
    func names(of keyStore: String) throws -> [String] {
        let places = Places(keyStore)
        var names = Self.names(Self.record(try store.get(Self.formerPlace))[keyStore])
        for number in 0..<Self.count(try store.get(places.count)) {
            if case .string(let name)? = try store.get(places.name(number)) { names.append(name) }
        }
        // Early builds kept a list in stores that replicate, too.
        let known = Set(names)
        return names + (try WrittenNameTree(keyStore).names(in: store)).filter { !known.contains($0) }
    }

    private static func count(_ stored: StoredValue?) -> Int64 {
        if case .int(let count)? = stored { max(0, count) } else { 0 }
    }

    private static func record(_ stored: StoredValue?) -> StoredDictionary {
        if case .dictionary(let record) = stored { record } else { [:] }
    }

    private static func names(_ stored: StoredValue?) -> [String] {
        guard case .array(let elements) = stored else { return [] }
        return elements.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
}

/// The reserved keys that hold the list of keys written through a key store.
private struct Places {
    private let keyStore: String

    init(_ keyStore: String) { self.keyStore = keyStore.shortName }

    var count: StoreKey { StoreKey(reserved: ".defaults.written.count:\(keyStore)") }

    func name(_ number: Int64) -> StoreKey { StoreKey(reserved: ".defaults.written.name:\(number):\(keyStore)") }

    func mark(of name: String) -> StoreKey {
        StoreKey(reserved: ".defaults.written.mark:\(keyStore.utf8.count):\(keyStore):\(name.shortName)")
    }
}

extension String {
    /// This name with the prefix "name:" if it has at most 1,000 bytes, or its hash with the prefix "hash:".
    var shortName: String {
        utf8.count <= 1_000 ? "name:" + self : "hash:" + Data(SHA256.of(utf8)).base64EncodedString()
    }
}

extension StoreKey {
    fileprivate var isValid: Bool {
        do { try validate() } catch { return false }
        return true
    }
}
