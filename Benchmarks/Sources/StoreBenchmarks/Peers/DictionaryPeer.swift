import Synchronization

/// A dictionary behind a mutex, which is a lower limit for a persistent store.
final class DictionaryPeer: Sendable {
    private let values = Mutex([String: Int]())

    init(_ keys: [String] = []) {
        values.withLock { values in
            for (index, key) in keys.enumerated() { values[key] = index }
        }
    }

    func get(_ key: String) -> Int? { values.withLock { $0[key] } }
    func put(_ value: Int, _ key: String) { values.withLock { $0[key] = value } }
}
