public import Foundation
import LarderCore
import LarderDeviceStorage

/// The protocol to which ``DefaultsBridge`` and its subclasses conform.
///
/// The type of `_defaults` must conform to this protocol. Subclass ``DefaultsBridge`` instead of writing a
/// conformance yourself.
public protocol DefaultsBridging<BridgedValue> {
    /// The type of the values that the bridge reads and writes.
    associatedtype BridgedValue
    /// This bridge, as an instance of its base class.
    var _bridge: DefaultsBridge<BridgedValue> { get }
}

/// A bridge that reads and writes values of one type in a `UserDefaults` object.
///
/// Subclass this class to store a type of your own. Override ``get(key:userDefaults:)`` and ``save(key:value:userDefaults:)``, and also
/// ``isSerialized()`` and ``deserialize(_:)`` if the stored form is not itself a `T`. The `UserDefaults` object that a ``DefaultsAdapter``
/// passes is backed by the adapter's store. Return the bridge from the type's `_defaults`. The bridges for arrays, dictionaries and
/// optionals are derived from that bridge.
///
/// If your type has a simple stored form, write a ``DefaultsCodec`` instead and pass it to a ``DefaultsCodecBridge``.
nonisolated open class DefaultsBridge<T>: DefaultsBridging {
    /// Creates a bridge.
    ///
    /// Subclasses call this initializer.
    public init() {}

    /// Reads the value under a key, without writing anything.
    ///
    /// Unless overridden, this method reports a `LarderIssue` and returns `nil`.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - userDefaults: The object to read from.
    /// - Returns: The value, or `nil` if nothing is stored or the stored value can't be read as a `T`.
    open func get(key: String, userDefaults: UserDefaults) -> T? {
        reportMissingOverride("get(key:userDefaults:)", key: key, in: userDefaults)
        return nil
    }

    /// Writes a value under a key, or removes the stored value.
    ///
    /// Unless overridden, this method reports a `LarderIssue` and writes nothing.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - value: The value to write, or `nil` to remove the stored value.
    ///   - userDefaults: The object to write to.
    open func save(key: String, value: T?, userDefaults: UserDefaults) {
        reportMissingOverride("save(key:value:userDefaults:)", key: key, in: userDefaults)
    }

    /// Returns whether values are stored in an encoded form that ``deserialize(_:)`` decodes.
    ///
    /// - Returns: `false`, unless overridden.
    open func isSerialized() -> Bool { false }

    /// Decodes an object that `UserDefaults.object(forKey:)` returned.
    ///
    /// - Parameter object: The stored object.
    /// - Returns: The value, or `nil` if `object` can't be decoded. Unless overridden, this method returns `object` itself if it is a
    ///   `T`.
    open func deserialize(_ object: Any) -> T? { object as? T }

    /// The codec that encodes and decodes single values inside arrays, dictionaries and optionals.
    ///
    /// Unless overridden, the codec calls this bridge with scratch storage for each element.
    open var codec: any DefaultsCodec<T> { BridgeCodec(bridge: self) }

    /// This bridge, as an instance of its base class.
    public var _bridge: DefaultsBridge<T> { self }

    /// A codec that behaves exactly like this bridge.
    ///
    /// The result is ``codec``, or a codec that calls the methods that a subclass overrides.
    var exactCodec: any DefaultsCodec<T> { codec }

    /// Whether reading or writing calls code in another module, such as a subclass in the program.
    var isHandWritten: Bool { true }

    /// Whether the values that this bridge decodes are cached.
    ///
    /// Values can be cached only if equal stored values are always decoded to equal values.
    var keepsDecoded: Bool { false }

    /// Returns the value that observers receive for a key whose stored value is `stored`.
    ///
    /// Calls ``deserialize(_:)`` if ``isSerialized()`` is `true`. Otherwise calls ``get(key:userDefaults:)``, then ``deserialize(_:)`` if
    /// the former returns `nil`, because a bridge written for SwiftyUserDefaults 5 has no `isSerialized`.
    ///
    /// - Throws: The error that explains why `stored` can't be decoded.
    func observed(_ stored: StoredValue, of key: String, in store: any KeyValueStore) throws -> Conversion<T> {
        if isSerialized() {
            guard let value = deserialize(stored.object) else { throw BridgeCodec(bridge: self).notConvertible(stored) }
            return Conversion(value)
        }
        let name = StoreKey(key)
        let moment = LayeredStore(
            base: store,
            layers: [DefaultsLayer(origin: .stored) { StoreKey($0) == name ? stored : nil }]
        )
        let issues = CollectedIssues()
        if let value = issues.collect({ get(key: key, userDefaults: UserDefaultsFacade(moment)) }) {
            return Conversion(value, isLossy: issues.haveLoss)
        }
        if let value = deserialize(stored.object) { return Conversion(value) }
        throw issues.firstError ?? BridgeCodec(bridge: self).notConvertible(stored)
    }

    /// Returns the error that explains why a hand-written bridge can't read a stored value, or `nil` if the bridge reports the error
    /// itself.
    func unspokenReason(against stored: StoredValue) -> (any Error)? {
        do { _ = try BridgeCodec(bridge: self).decode(stored) } catch let reason as CoreError.NotFound {
            return reason
        } catch {
            // The bridge reports this error at each read.
        }
        return nil
    }

    /// Creates the bridge for arrays that `_defaultsArray` returns by default.
    func makeArrayBridge() -> DefaultsBridge<[T]> { DefaultsCodecBridge(ArrayCodec(element: exactCodec)) }

    private func reportMissingOverride(_ method: String, key: String, in userDefaults: UserDefaults) {
        userDefaults.keyValueStore.issues.report(
            LarderIssue(
                .unsupportedValue,
                "The bridge \(type(of: self)) does not override \(method), so the key \(key.debugDescription) can't be used. Override the method.",
                key: key
            )
        )
    }
}
