public import LarderCore

/// A type that typed keys can hold.
///
/// Integers, `Float`, `Double`, `Bool`, `String`, `URL`, `Date`, `Data` are, and arrays, dictionaries with text keys and
/// optionals of anything that is. Types of your own opt in:
///
/// - an enum with a raw value, and a `Codable` type, with an empty conformance (one that is both keeps its raw value);
/// - a class that adopts `NSCoding`, if it is final, with an empty conformance too;
/// - any other by returning a ``DefaultsBridge`` of its own from ``_defaults``; a type that does is never read or written otherwise,
///   whatever else it adopts.
public protocol DefaultsSerializable {
    /// What the bridge reads and writes; this type itself, as a rule.
    associatedtype T where T == DefaultsBridgeClass.BridgedValue
    /// The class of the bridge, which the compiler takes from ``_defaults``.
    associatedtype DefaultsBridgeClass: DefaultsBridging
    /// The class of the bridge for arrays, which the compiler takes from ``_defaultsArray``.
    associatedtype DefaultsArrayBridgeClass: DefaultsBridging where DefaultsArrayBridgeClass.BridgedValue == [T]

    /// How single values are read and written: a ``DefaultsBridge`` or any subclass of it.
    static var _defaults: DefaultsBridgeClass { get }

    /// How arrays are read and written. It follows from ``_defaults`` unless the type says otherwise.
    static var _defaultsArray: DefaultsArrayBridgeClass { get }

    /// Whether values are stored as they are, without asking the bridge: those of a ``DefaultsPlainValue``, and optionals of one.
    static var _isPlain: Bool { get }

    /// The value when it is stored as it is, without asking the bridge; `nil` unless the type is plain.
    static func _plainValue(_ stored: StoredValue) -> T?

    /// What is stored for a value as it is, `.null` for nothing; `nil` unless the type is plain.
    static func _plainStored(_ value: T) -> StoredValue?
}

extension DefaultsSerializable {
    /// An array of what ``_defaults`` stores for each element; for `Codable` and `NSCoding` types one JSON or archive.
    public static var _defaultsArray: DefaultsBridge<[T]> { bridge.makeArrayBridge() }

    /// ``_defaults`` as the class that all bridges have in common.
    static var bridge: DefaultsBridge<T> { _defaults._bridge }

    /// ``_defaultsArray`` as the class that all bridges have in common.
    static var arrayBridge: DefaultsBridge<[T]> { _defaultsArray._bridge }
}

// Chosen by the compiler when no other `_defaults` fits, to say what to do.
extension DefaultsSerializable {
    /// Stands for a type that does not say how it is stored; it never runs.
    @available(
        *,
        unavailable,
        message:
            "This type does not say how it is stored: make it Codable, or an enum with a raw value, or declare `static var _defaults: DefaultsBridge<Self>`. A `_defaults` of another form is not used: it has to be a static property whose type is DefaultsBridge or a subclass of it."
    )
    public static var _defaults: DefaultsBridge<Self> { DefaultsBridge() }
}
