import Foundation
import LarderCore
import LarderFiles
import Synchronization

/// The names of the keys that adapters have written, by key store, in records of their own in the store's reserved space.
///
/// `removeAll` needs them: keys are computed properties as a rule, which can't be listed, and the store is shared with others.
///
/// For each key store there is the number of its names, each name under its number, and a mark under each name that says that it is there:
/// a new name costs the same however many there are. A name stays when its value is removed, because another process that has the name for
/// known may write it again without a look at the record.
final class WrittenKeys: Sendable {
    private struct Known: Hashable {
        let keyStore: ObjectIdentifier
        let key: StoreKey
    }

    /// One record for the names of all key stores, of early versions.
    private static let formerPlace = StoreKey(reserved: ".defaults.written")
    private let store: any KeyValueStore
    private let known = Mutex(Set<Known>())
    /// Where it is noted, for a look without a lock, which names are on record.
    private let marks: KeyMarks

    init(_ store: any KeyValueStore, _ marks: KeyMarks) {
        self.store = store
        self.marks = marks
    }

    /// Remembers a name before its value is written.
    func insert(_ name: String, of keyStore: KeyStoreIdentity) {
        let known = Known(keyStore: keyStore.type, key: StoreKey(name))
        let isKnown = self.known.withLock { $0.contains(known) }
        do {
            if !isKnown {
                // A key that no store takes is none to remember: writing its value reports it.
                guard known.key.isValid else { return }
                try record(name, of: keyStore.name)
                self.known.withLock { _ = $0.insert(known) }
            }
            marks.set(marks.hashed(name), of: known.keyStore)
        } catch {
            store.issues.report(
                LarderIssue(.degraded, "`removeAll` may leave this key behind.", key: name, underlying: error)
            )
        }
    }

    private func record(_ name: String, of keyStore: String) throws {
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

    /// Every name remembered of a key store, in this process or an earlier one.
    func names(of keyStore: String) throws -> [String] {
        let places = Places(keyStore)
        var names = Self.names(Self.record(try store.get(Self.formerPlace))[keyStore])
        for number in 0..<Self.count(try store.get(places.count)) {
            if case .string(let name)? = try store.get(places.name(number)) { names.append(name) }
        }
        return names
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

/// Where the names of one key store are.
private struct Places {
    private let keyStore: String

    init(_ keyStore: String) { self.keyStore = Self.short(keyStore) }

    var count: StoreKey { StoreKey(reserved: ".defaults.written.count:\(keyStore)") }

    func name(_ number: Int64) -> StoreKey { StoreKey(reserved: ".defaults.written.name:\(number):\(keyStore)") }

    func mark(of name: String) -> StoreKey {
        StoreKey(reserved: ".defaults.written.mark:\(keyStore.utf8.count):\(keyStore):\(Self.short(name))")
    }

    /// Long texts by their hash, since stores bound the length of keys.
    private static func short(_ text: String) -> String {
        text.utf8.count <= 1_000 ? "name:" + text : "hash:" + Data(SHA256.of(text.utf8)).base64EncodedString()
    }
}

extension StoreKey {
    /// Whether a store takes the key.
    fileprivate var isValid: Bool {
        do { try validate() } catch { return false }
        return true
    }
}
