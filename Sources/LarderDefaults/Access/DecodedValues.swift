import LarderCore
import Synchronization

/// What was decoded last from each key, so that it is decoded once until it changes.
///
/// Nobody has to say that it changed: what is stored is compared, which takes far less than decoding it.
final class DecodedValues: Sendable {
    private struct Decoded {
        let stored: StoredValue
        let value: any Sendable
    }

    /// A value that holds no object.
    private struct Held<Value>: @unchecked Sendable {
        // Sendable because it is a value all through: every reader has a copy, and nobody can change this one.
        let value: Value
    }

    /// Stored values above this many bytes are not kept: they would lie in memory twice.
    private static let maximumSize = 65_536
    private let known = Mutex<[String: Decoded]>([:])

    /// What `stored` was decoded to when the key was read last.
    func value<Value>(of key: String, _ stored: StoredValue) -> Value? {
        let decoded = known.withLock { $0[key] }
        guard let decoded, decoded.stored == stored else { return nil }
        return (decoded.value as? Held<Value>)?.value
    }

    /// Keeps what `stored` was decoded to, unless a change of it would be seen by others who read it.
    func keep<Value>(_ value: Value, of key: String, _ stored: StoredValue) {
        guard case .data(let bytes) = stored, bytes.count <= Self.maximumSize, !Self.holdsObject(value, depth: 0)
        else { return }
        let decoded = Decoded(stored: stored, value: Held(value: value))
        // The former one is released outside the lock.
        let former = known.withLock { $0.updateValue(decoded, forKey: key) }
        withExtendedLifetime(former) {}
    }

    /// Whether an object is somewhere in a value: two who read the key would share it.
    private static func holdsObject(_ value: Any, depth: Int) -> Bool {
        guard depth < 16, !(type(of: value) is AnyClass) else { return true }
        return Mirror(reflecting: value).children.contains { holdsObject($0.value, depth: depth + 1) }
    }
}
