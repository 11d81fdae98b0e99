import LarderCore

/// A custom set type whose values a typed key can hold.
///
/// A set is stored as an array of its encoded elements.
///
/// ```swift
/// struct Tags: SetAlgebra, DefaultsSetAlgebraSerializable {
///     private var names = Set<String>()
///     func toArray() -> [String] { names.sorted() }
///     ...
/// }
/// ```
///
/// An option set needs only ``DefaultsSerializable``, which stores its raw value.
public protocol DefaultsSetAlgebraSerializable: SetAlgebra, DefaultsSerializable
where Element: DefaultsSerializable, Element.T == Element {
    /// Returns the elements of the set.
    ///
    /// - Returns: The elements, without duplicates. Equal sets must return equal arrays, so that they have the same stored form.
    func toArray() -> [Element]
}

extension DefaultsSetAlgebraSerializable {
    /// A bridge that stores a set as an array of its encoded elements.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodecBridge(SetAlgebraCodec()) }
}

extension DefaultsSetAlgebraSerializable where Self: Codable {
    /// A bridge that stores a set as an array of its encoded elements.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodecBridge(SetAlgebraCodec()) }
}

private struct SetAlgebraCodec<Value: DefaultsSetAlgebraSerializable>: DefaultsCodec {
    private let elements = ArrayCodec<Value.Element>(element: Value.Element.bridge.exactCodec)

    func encode(_ value: Value) throws -> StoredValue { try elements.encode(value.toArray()) }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        let decoded = try elements.decode(stored)
        return Conversion(Value(decoded.value), isLossy: decoded.isLossy)
    }
}
