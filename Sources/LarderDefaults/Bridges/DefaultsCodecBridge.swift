public import Foundation
import LarderCore
import LarderDeviceStorage
import Synchronization

/// A bridge that keeps what a ``DefaultsCodec`` makes of a value.
open class DefaultsCodecBridge<T>: DefaultsBridge<T> {
    private let ownCodec: any DefaultsCodec<T>

    /// A bridge over a codec.
    ///
    /// - Parameter codec: Turns values into stored values and back.
    public init(_ codec: any DefaultsCodec<T>) { ownCodec = codec }

    /// The codec given at first.
    open override var codec: any DefaultsCodec<T> { ownCodec }

    /// Reads and decodes the value under a key.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - userDefaults: Where to read.
    /// - Returns: The value. `nil` when there is none, and when what is there does not decode: then it stays as it is and a
    ///   ``LarderCore/LarderIssue`` says why.
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

    /// Encodes and writes the value under a key.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - value: The value; `nil` removes what is there. When it can't be encoded or written, nothing changes and a
    ///     ``LarderCore/LarderIssue`` says why.
    ///   - userDefaults: Where to write.
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

    /// Decodes what `UserDefaults.object(forKey:)` returned.
    ///
    /// - Parameter object: What is stored.
    /// - Returns: The value, or `nil` when `object` can't be stored or does not decode.
    open override func deserialize(_ object: Any) -> T? {
        if let value = object as? T { return value }
        // Documented: `nil` says no more than that it is none. What reads a key by this says why in an issue.
        return try? codec.decode(StoredValue(object: object)).value
    }

    override var exactCodec: any DefaultsCodec<T> { isHandWritten ? BridgeCodec(bridge: self) : ownCodec }

    /// A class of another module may have overridden `get` and `save`.
    override var isHandWritten: Bool { !OwnBridges.contain(type(of: self)) }

    override func observed(_ stored: StoredValue, of key: String, in store: any KeyValueStore) throws -> Conversion<T> {
        try isHandWritten ? super.observed(stored, of: key, in: store) : ownCodec.decode(stored)
    }
}

/// Which bridge classes are this module's own, asked once for each class.
private enum OwnBridges {
    private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

    static func contain(_ type: AnyClass) -> Bool {
        if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        let isOwn = String(reflecting: type).hasPrefix("LarderDefaults.")
        known.withLock { $0[ObjectIdentifier(type)] = isOwn }
        return isOwn
    }
}
