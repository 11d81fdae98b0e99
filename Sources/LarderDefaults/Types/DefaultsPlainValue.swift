public import LarderCore

/// A type whose values every store holds as they are: numbers, truth values, text, data, dates and addresses.
///
/// Reading a key of such a type is a look into the store and nothing else. A type of your own need not adopt it.
public protocol DefaultsPlainValue: DefaultsSerializable, StorableValue where T == Self {}

extension DefaultsPlainValue {
    /// The value, when it is stored as it is.
    @inlinable
    public static func _plainValue(_ stored: StoredValue) -> Self? { unconverted(stored) }
}

extension DefaultsSerializable {
    /// Nothing: the bridge is asked.
    @inlinable
    public static func _plainValue(_ stored: StoredValue) -> T? { nil }
}
