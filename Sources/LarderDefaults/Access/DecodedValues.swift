import LarderCore
import Synchronization

/// A cache of the last decoded value of each key.
///
/// Each lookup compares the current stored value with the one that was decoded, so the cache needs no invalidation. Comparing is much
/// cheaper than decoding.
final class DecodedValues: Sendable {
    private struct Decoded {
        let stored: StoredValue
        let value: any Sendable
    }

    /// A `Sendable` wrapper of a decoded value that contains no class instances.
    private struct Held<Value>: @unchecked Sendable {
        // Sendable because the value contains no reference, so that each reader gets a copy and the original never changes.
        let value: Value
    }

    /// The maximum size of a cached value's stored form, in bytes.
    private static let maximumSize = 65_536
    private let known = Mutex<[String: Decoded]>([:])

    /// Returns the cached value of a key, or `nil` if the cached value was not decoded from `stored`.
    func value<Value>(of key: String, _ stored: StoredValue) -> Value? {
        let decoded = known.withLock { $0[key] }
        guard let decoded, decoded.stored == stored else { return nil }
        return (decoded.value as? Held<Value>)?.value
    }

    /// Caches the value decoded from `stored`, unless the value contains a class instance.
    func keep<Value>(_ value: Value, of key: String, _ stored: StoredValue) {
        guard case .data(let bytes) = stored, bytes.count <= Self.maximumSize, !Self.holdsObject(value, depth: 0)
        else { return }
        let decoded = Decoded(stored: stored, value: Held(value: value))
        // The previous value is released outside the lock.
        let former = known.withLock { $0.updateValue(decoded, forKey: key) }
        withExtendedLifetime(former) {}
    }

    /// Returns whether a value contains a class instance.
    private static func holdsObject(_ value: Any, depth: Int) -> Bool {
        guard depth < 16, !(type(of: value) is AnyClass) else { return true }
        return Mirror(reflecting: value).children.contains { holdsObject($0.value, depth: depth + 1) }
    }
}
