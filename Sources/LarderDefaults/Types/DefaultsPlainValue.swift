public import LarderCore

/// A type whose values every store holds as they are: numbers, truth values, text, data, dates and addresses.
///
/// Reading a key of such a type is a look into the store and nothing else, and writing it a put. A type of your own need not adopt
/// it; one that does, does not ask a bridge of its own when a value is there as it is.
public protocol DefaultsPlainValue: DefaultsSerializable, StorableValue where T == Self {}

extension DefaultsPlainValue {
    /// `true`: no bridge is asked.
    @inlinable public static var _isPlain: Bool { true }

    /// The value, when it is stored as it is.
    @inlinable
    public static func _plainValue(_ stored: StoredValue) -> Self? { unconverted(stored) }

    /// The value as every store holds it.
    @inlinable
    public static func _plainStored(_ value: Self) -> StoredValue? { value.storedValue }
}

extension DefaultsSerializable {
    /// `false`: the bridge is asked.
    @inlinable public static var _isPlain: Bool { false }

    /// Nothing: the bridge is asked.
    @inlinable
    public static func _plainValue(_ stored: StoredValue) -> T? { nil }

    /// Nothing: the bridge is asked.
    @inlinable
    public static func _plainStored(_ value: T) -> StoredValue? { nil }
}
