public import Foundation
import LarderCore
import LarderDeviceStorage
import Synchronization

/// A bridge that encodes and decodes values with a ``DefaultsCodec``.
open class DefaultsCodecBridge<T>: DefaultsBridge<T> {
    private let ownCodec: any DefaultsCodec<T>

    /// Creates a bridge that uses the given codec.
    ///
    /// - Parameter codec: The codec that encodes and decodes the values.
    public init(_ codec: any DefaultsCodec<T>) { ownCodec = codec }

    /// The codec that was passed to the initializer.
    open override var codec: any DefaultsCodec<T> { ownCodec }

    /// Reads and decodes the value under a key.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - userDefaults: The object to read from.
    /// - Returns: The value, or `nil` if nothing is stored or the value can't be decoded. If decoding fails, the stored value is unchanged
    ///   and a `LarderIssue` is reported.
    open override func get(key: String, userDefaults: UserDefaults) -> T? {
        let store = userDefaults.keyValueStore
        do {
            guard let stored = try store.get(StoreKey(key)) ?? userDefaults.registeredValue(key) else { return nil }
            let decoded = try codec.decode(stored)
            if decoded.isLossy { store.issues.report(.lossy(stored, as: T.self, key: key)) }
            return decoded.value
        } catch {
            store.issues.report(.unreadable(key, as: T.self, error))
            return nil
        }
    }

    /// Encodes a value and writes the result under a key.
    ///
    /// If the value can't be encoded or written, the stored value is unchanged and a `LarderIssue` is reported.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - value: The value to write, or `nil` to remove the stored value.
    ///   - userDefaults: The object to write to.
    open override func save(key: String, value: T?, userDefaults: UserDefaults) {
        let store = userDefaults.keyValueStore
        do {
            if let value {
                try store.set(codec.encode(value), for: StoreKey(key))
            } else {
                try store.remove(StoreKey(key))
            }
        } catch {
            store.issues.report(.unwritable(key, T.self, error))
        }
    }

    /// Decodes an object that `UserDefaults.object(forKey:)` returned.
    ///
    /// - Parameter object: The stored object.
    /// - Returns: The value, or `nil` if `object` can't be stored or decoded.
    open override func deserialize(_ object: Any) -> T? {
        if let value = object as? T { return value }
        // The method can't return the error. The code that reads a key with this method reports the error as an issue.
        return try? codec.decode(StoredValue(object: object)).value
    }

    override var exactCodec: any DefaultsCodec<T> { isHandWritten ? BridgeCodec(bridge: self) : ownCodec }

    /// Whether the bridge's class is declared in another module, and may therefore override `get` and `save`.
    override var isHandWritten: Bool { !OwnBridges.contain(type(of: self)) }

    override func observed(_ stored: StoredValue, of key: String, in store: any KeyValueStore) throws -> Conversion<T> {
        try isHandWritten ? super.observed(stored, of: key, in: store) : ownCodec.decode(stored)
    }
}

/// A cache that records whether each bridge class is declared in this module.
private enum OwnBridges {
    private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

    static func contain(_ type: AnyClass) -> Bool {
        if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let isOwn = String(reflecting: type).hasPrefix("LarderDefaults.")
        known.withLock { $0[ObjectIdentifier(type)] = isOwn }
        return isOwn
    }
}
