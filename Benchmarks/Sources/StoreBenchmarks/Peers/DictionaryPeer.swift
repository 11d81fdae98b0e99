import Synchronization

/// What nothing that survives can beat by much: a dictionary behind a lock.
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
