public import LarderCore

/// A type whose values a typed key can hold.
///
/// Integers, `Float`, `Double`, `Bool`, `String`, `URL`, `Date` and `Data` conform, and so do arrays, string-keyed dictionaries and
/// optionals of conforming types. To use your own type, add a conformance:
///
/// - A `Codable` type and an enum with a raw value need only an empty conformance. A `Codable` enum with a raw value is stored as its
///   raw value.
/// - A final class that adopts `NSCoding` needs only an empty conformance.
/// - Any other type returns a ``DefaultsBridge`` from `_defaults`. That bridge then reads and writes all values, even if the type is
///   also `Codable`.
public protocol DefaultsSerializable {
    /// The type that the bridge reads and writes, usually this type itself.
    associatedtype T where T == DefaultsBridgeClass.BridgedValue
    /// The class of the bridge, inferred from `_defaults`.
    associatedtype DefaultsBridgeClass: DefaultsBridging
    /// The class of the bridge for arrays, inferred from `_defaultsArray`.
    associatedtype DefaultsArrayBridgeClass: DefaultsBridging where DefaultsArrayBridgeClass.BridgedValue == [T]

    /// The bridge that reads and writes single values.
    static var _defaults: DefaultsBridgeClass { get }

    /// The bridge that reads and writes arrays.
    ///
    /// The default implementation derives the bridge from `_defaults`.
    static var _defaultsArray: DefaultsArrayBridgeClass { get }

    /// Whether values are stored directly, without the bridge.
    ///
    /// This is `true` for a ``DefaultsPlainValue`` and for an optional that wraps one.
    static var _isPlain: Bool { get }

    /// Returns the value that `stored` holds directly, or `nil` if `stored` has another type or this type needs a bridge.
    static func _plainValue(_ stored: StoredValue) -> T?

    /// Returns the stored value that holds `value` directly, or `nil` if this type needs a bridge.
    ///
    /// The value `nil` is stored as `.null`.
    static func _plainStored(_ value: T) -> StoredValue?
}

extension DefaultsSerializable {
    /// A bridge that stores an array of encoded elements, or a single JSON document or archive for `Codable` and `NSCoding` types.
    public static var _defaultsArray: DefaultsBridge<[T]> { bridge.makeArrayBridge() }

    /// The bridge for single values, upcast to ``DefaultsBridge``.
    static var bridge: DefaultsBridge<T> { _defaults._bridge }

    /// The bridge for arrays, upcast to ``DefaultsBridge``.
    static var arrayBridge: DefaultsBridge<[T]> { _defaultsArray._bridge }
}

// The compiler chooses this property if no other `_defaults` fits, and prints its message.
extension DefaultsSerializable {
    /// Makes the compiler reject types that can't be stored.
    ///
    /// This property is never evaluated. The compiler prints the message of its `@available` attribute.
    @available(
        *,
        unavailable,
        message:
            "This type has no stored form. Make it Codable or an enum with a raw value, or declare `static var _defaults: DefaultsBridge<Self>`. The type of the property must be DefaultsBridge or a subclass."
    )
    public static var _defaults: DefaultsBridge<Self> { DefaultsBridge() }
}
