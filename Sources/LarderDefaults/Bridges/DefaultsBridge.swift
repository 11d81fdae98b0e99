public import Foundation
import LarderCore
import LarderDeviceStorage

/// A protocol for the type of `_defaults`, adopted by ``DefaultsBridge`` and its subclasses.
///
/// Subclass ``DefaultsBridge`` instead of conforming to this protocol directly.
public protocol DefaultsBridging<BridgedValue> {
    /// The type of the values that the bridge reads and writes.
    associatedtype BridgedValue
    /// This bridge, upcast to ``DefaultsBridge``.
    var _bridge: DefaultsBridge<BridgedValue> { get }
}

/// A bridge that reads and writes values of one type in a `UserDefaults` object.
///
/// To store a custom type, subclass this class and return the bridge from the type's `_defaults`. Override ``get(key:userDefaults:)``
/// and ``save(key:value:userDefaults:)``. If the stored form is not a `T` itself, also override ``isSerialized()`` and ``deserialize(_:)``.
/// A ``DefaultsAdapter`` passes a `UserDefaults` object that is backed by its store. Bridges for arrays, dictionaries and optionals are
/// derived from this bridge.
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
    /// - Returns: The value, or `nil` if `object` can't be decoded. Unless overridden, this method returns `object` if it is a `T`.
    open func deserialize(_ object: Any) -> T? { object as? T }

    /// The codec for values of this type inside arrays, dictionaries and optionals.
    ///
    /// Unless overridden, the codec calls this bridge with a temporary `UserDefaults` object for each element.
    open var codec: any DefaultsCodec<T> { BridgeCodec(bridge: self) }

    /// This bridge, upcast to ``DefaultsBridge``.
    public var _bridge: DefaultsBridge<T> { self }

    /// A codec that behaves exactly like this bridge, even if a subclass overrides the bridge's methods.
    var exactCodec: any DefaultsCodec<T> { codec }

    /// Whether reading or writing runs code from another module, such as a subclass in an app.
    var isHandWritten: Bool { true }

    /// Whether decoded values are cached.
    ///
    /// Caching requires that equal stored values always decode to equal values.
    var keepsDecoded: Bool { false }

    /// Returns the value that observers of a key receive when `stored` is the stored value.
    ///
    /// Calls ``deserialize(_:)`` if ``isSerialized()`` is `true`. Otherwise calls ``get(key:userDefaults:)`` and, if the result is `nil`,
    /// ``deserialize(_:)``, because bridges written for SwiftyUserDefaults 5 don't override `isSerialized`.
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

    /// Returns the reason why a hand-written bridge can't read a stored value, or `nil` if the bridge has reported the reason.
    func unspokenReason(against stored: StoredValue) -> (any Error)? {
        do { _ = try BridgeCodec(bridge: self).decode(stored) } catch let reason as CoreError.NotFound {
            return reason
        } catch {
            // The bridge reports this error at each read.
        }
        return nil
    }

    /// Creates the default value of `_defaultsArray`, a bridge for arrays of `T`.
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
