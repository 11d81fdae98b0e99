import LarderCore
import Synchronization

/// The names of the keys that adapters with one type of key store have written, kept in the store's reserved space.
///
/// `removeAll` needs them: keys are computed properties as a rule, which can't be listed, and the store is shared with others.
final class WrittenKeys: Sendable {
    private let store: any KeyValueStore
    private let place: StoreKey
    private let known = Mutex(Set<StoreKey>())

    init(of keyStore: Any.Type, in store: any KeyValueStore) {
        self.store = store
        place = StoreKey(reserved: ".defaults.written." + String(reflecting: keyStore))
    }

    /// Remembers a name before its value is written.
    func insert(_ name: String) {
        let key = StoreKey(name)
        // A key that no store takes is none to remember: writing its value reports it.
        guard !known.withLock({ $0.contains(key) }), (try? key.validate()) != nil else { return }
        do {
            try store.transaction { transaction in
                var names = Self.names(in: try transaction.get(place))
                guard !names.contains(where: { StoreKey($0) == key }) else { return }
                names.append(name)
                try transaction.set(.array(names.map(StoredValue.string)), for: place)
            }
            known.withLock { _ = $0.insert(key) }
        } catch {
            store.issues.report(
                LarderIssue(.degraded, "`removeAll` may leave this key behind.", key: name, underlying: error)
            )
        }
    }

    /// Every name remembered, in this process or an earlier one.
    func names() throws -> [String] { Self.names(in: try store.get(place)) }

    private static func names(in stored: StoredValue?) -> [String] {
        guard case .array(let elements) = stored else { return [] }
        return elements.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
}
