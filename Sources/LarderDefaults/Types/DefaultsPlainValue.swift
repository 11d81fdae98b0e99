public import LarderCore

/// A type whose values every store can hold directly, such as a number, a Boolean, a string, data, a date or a URL.
///
/// Reading a key of this type takes one lookup in the store, and writing takes one put. Your own types need not conform. If a type
/// conforms, its bridge is not called for values that are stored directly.
public protocol DefaultsPlainValue: DefaultsSerializable, StorableValue where T == Self {}

extension DefaultsPlainValue {
    /// Always `true`, because every store can hold values of this type directly.
    @inlinable public static var _isPlain: Bool { true }

    /// Returns the value if `stored` holds it directly, or `nil` if `stored` has another type.
    @inlinable
    public static func _plainValue(_ stored: StoredValue) -> Self? { unconverted(stored) }

    /// Returns the stored value that holds `value` directly.
    @inlinable
    public static func _plainStored(_ value: Self) -> StoredValue? { value.storedValue }
}

extension DefaultsSerializable {
    /// Always `false`, because a bridge reads and writes values of this type.
    @inlinable public static var _isPlain: Bool { false }

    /// Always returns `nil`, because a bridge reads and writes values of this type.
    @inlinable
    public static func _plainValue(_ stored: StoredValue) -> T? { nil }

    /// Always returns `nil`, because a bridge reads and writes values of this type.
    @inlinable
    public static func _plainStored(_ value: T) -> StoredValue? { nil }
}
