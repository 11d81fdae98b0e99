public import Foundation
import LarderCore
import LarderDeviceStorage

/// What ``DefaultsSerializable/_defaults`` may return: a ``DefaultsBridge`` of any class.
///
/// Subclass ``DefaultsBridge``; there is nothing else to adopt this protocol for.
public protocol DefaultsBridging<BridgedValue> {
    /// What the bridge reads and writes.
    associatedtype BridgedValue
    /// The bridge itself.
    var _bridge: DefaultsBridge<BridgedValue> { get }
}

/// How values of one type are read from and written to a `UserDefaults`: the class to subclass for a type of your own.
///
/// Override ``get(key:userDefaults:)`` and ``save(key:value:userDefaults:)``, and ``isSerialized()`` and ``deserialize(_:)`` when
/// what is stored is not itself a `T`. The `UserDefaults` that a ``DefaultsAdapter`` hands over stands on the adapter's store.
/// Return the bridge from the type's ``DefaultsSerializable/_defaults``; arrays, dictionaries and optionals of the type follow
/// from it.
///
/// A type that has a simple stored form needs no `UserDefaults` at all: write a ``DefaultsCodec`` and a ``DefaultsCodecBridge``.
nonisolated open class DefaultsBridge<T>: DefaultsBridging {
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

    /// This bridge.
    public var _bridge: DefaultsBridge<T> { self }

    /// ``codec``, unless a subclass reads or writes differently from it; then what the subclass does.
    var exactCodec: any DefaultsCodec<T> { codec }

    /// Whether reading and writing run code of another module, and may do anything.
    var isHandWritten: Bool { true }

    /// Whether decoding is dear, and equal stored values decode to equal ones whoever reads.
    var keepsDecoded: Bool { false }

    /// What a key reads as while `stored` is what its store holds, for observers.
    ///
    /// By ``deserialize(_:)`` if ``isSerialized()`` says so. Otherwise by ``get(key:userDefaults:)``, and by ``deserialize(_:)`` where that
    /// finds nothing: a bridge in the form of SwiftyUserDefaults 5 has no `isSerialized`.
    ///
    /// - Throws: Why there is no value.
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
        if let value = issues.collect({ get(key: key, userDefaults: StoreUserDefaults(moment)) }) {
            return Conversion(value, isLossy: issues.haveLoss)
        }
        if let value = deserialize(stored.object) { return Conversion(value) }
        throw issues.firstError ?? BridgeCodec(bridge: self).notConvertible(stored)
    }

    /// Why a hand-written bridge makes no value of what is stored, unless it reports that itself.
    func unspokenReason(against stored: StoredValue) -> (any Error)? {
        do { _ = try BridgeCodec(bridge: self).decode(stored) } catch let reason as CoreError.NotFound {
            return reason
        } catch {
            // Which the bridge reports whenever it is asked.
        }
        return nil
    }

    /// The bridge for arrays that ``DefaultsSerializable/_defaultsArray`` is unless the type says otherwise.
    func makeArrayBridge() -> DefaultsBridge<[T]> { DefaultsCodecBridge(ArrayCodec(element: exactCodec)) }

    private func reportMissingOverride(_ method: String, key: String, in userDefaults: UserDefaults) {
        userDefaults.keyValueStore.issues.report(
            LarderIssue(.unsupportedValue, "\(type(of: self)) does not override \(method): override it.", key: key)
        )
    }
}
