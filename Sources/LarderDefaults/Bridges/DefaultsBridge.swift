public import Foundation
import LarderCore
import LarderDeviceStorage

/// How values of one type are read from and written to a `UserDefaults`: the class to subclass for a type of your own.
///
/// Override ``get(key:userDefaults:)`` and ``save(key:value:userDefaults:)``, and ``isSerialized()`` and ``deserialize(_:)`` when
/// what is stored is not itself a `T`. The `UserDefaults` that a ``DefaultsAdapter`` hands over stands on the adapter's store.
/// Return the bridge from the type's ``DefaultsSerializable/_defaults``; arrays, dictionaries and optionals of the type follow
/// from it.
///
/// A type that has a simple stored form needs no `UserDefaults` at all: write a ``DefaultsCodec`` and a ``DefaultsCodecBridge``.
nonisolated open class DefaultsBridge<T> {
    /// A bridge.
    public init() {}

    /// Reads the value under a key.
    ///
    /// Reading writes nothing. The implementation of this class reports a ``LarderCore/LarderIssue`` and returns `nil`.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - userDefaults: Where to read.
    /// - Returns: The value, or `nil` when there is none or when what is there can't be read as one.
    open func get(key: String, userDefaults: UserDefaults) -> T? {
        reportMissingOverride("get(key:userDefaults:)", key: key, in: userDefaults)
        return nil
    }

    /// Writes the value under a key.
    ///
    /// The implementation of this class reports a ``LarderCore/LarderIssue`` and changes nothing.
    ///
    /// - Parameters:
    ///   - key: The name of the key.
    ///   - value: The value; `nil` removes what is there.
    ///   - userDefaults: Where to write.
    open func save(key: String, value: T?, userDefaults: UserDefaults) {
        reportMissingOverride("save(key:value:userDefaults:)", key: key, in: userDefaults)
    }

    /// Whether what is stored is another form of the value, which ``deserialize(_:)`` turns back, rather than the value itself.
    ///
    /// - Returns: `false`, unless overridden.
    open func isSerialized() -> Bool { false }

    /// Turns what `UserDefaults.object(forKey:)` returns into a value.
    ///
    /// - Parameter object: What is stored.
    /// - Returns: The value, or `nil` when `object` is not one. Unless overridden, `object` itself if it is a `T`.
    open func deserialize(_ object: Any) -> T? { object as? T }

    /// How single values become stored values and back, for arrays, dictionaries and optionals of them.
    ///
    /// Unless overridden, it asks this bridge to save and get each element in a storage of its own.
    open var codec: any DefaultsCodec<T> { BridgeCodec(bridge: self) }

    /// ``codec``, unless a subclass reads or writes differently from it; then what the subclass does.
    var exactCodec: any DefaultsCodec<T> { codec }

    /// Whether decoding is dear, and equal stored values decode to equal ones whoever reads.
    var keepsDecoded: Bool { false }

    /// The value of which `stored` is the stored form, for observers: by ``deserialize(_:)`` or by a cast.
    func observed(_ stored: StoredValue) -> T? {
        isSerialized() ? deserialize(stored.object) : stored.object as? T
    }

    /// The bridge for arrays that ``DefaultsSerializable/_defaultsArray`` is unless the type says otherwise.
    func makeArrayBridge() -> DefaultsBridge<[T]> { DefaultsCodecBridge(ArrayCodec(element: codec)) }

    private func reportMissingOverride(_ method: String, key: String, in userDefaults: UserDefaults) {
        userDefaults.keyValueStore.issues.report(
            LarderIssue(.unsupportedValue, "\(type(of: self)) does not override \(method): override it.", key: key)
        )
    }
}
