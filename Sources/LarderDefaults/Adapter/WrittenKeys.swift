import LarderCore
import Synchronization

/// The names of the keys that adapters have written, by key store, in one record in the store's reserved space.
///
/// `removeAll` needs them: keys are computed properties as a rule, which can't be listed, and the store is shared with others.
final class WrittenKeys: Sendable {
    private struct Known: Hashable {
        let keyStore: ObjectIdentifier
        let key: StoreKey
    }

    private static let place = StoreKey(reserved: ".defaults.written")
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
        try store.transaction { transaction in
            var record = Self.record(try transaction.get(Self.place))
            var names = Self.names(record[keyStore])
            guard !names.contains(where: { StoreKey($0) == StoreKey(name) }) else { return }
            names.append(name)
            record[keyStore] = .array(names.map(StoredValue.string))
            try transaction.set(.dictionary(record), for: Self.place)
        }
    }

    /// Every name remembered of a key store, in this process or an earlier one.
    func names(of keyStore: String) throws -> [String] { Self.names(Self.record(try store.get(Self.place))[keyStore]) }

    private static func record(_ stored: StoredValue?) -> StoredDictionary {
        if case .dictionary(let record) = stored { record } else { [:] }
    }

    private static func names(_ stored: StoredValue?) -> [String] {
        guard case .array(let elements) = stored else { return [] }
        return elements.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
}

extension StoreKey {
    /// Whether a store takes the key.
    fileprivate var isValid: Bool {
        do { try validate() } catch { return false }
        return true
    }
}
