import LarderCore

/// A set of your own that typed keys can hold; it is stored as an array of what its elements are stored as.
///
/// ```swift
/// struct Tags: SetAlgebra, DefaultsSetAlgebraSerializable {
///     private var names = Set<String>()
///     func toArray() -> [String] { names.sorted() }
///     ...
/// }
/// ```
///
/// An option set needs none of this: with ``DefaultsSerializable`` its raw value is stored.
public protocol DefaultsSetAlgebraSerializable: SetAlgebra, DefaultsSerializable
where Element: DefaultsSerializable, Element.T == Element {
    /// Returns the elements.
    ///
    /// - Returns: Each element once. Equal sets need the same order to be stored alike.
    func toArray() -> [Element]
}

extension DefaultsSetAlgebraSerializable {
    /// An array of what the element type stores for each element.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodecBridge(SetAlgebraCodec()) }
}

extension DefaultsSetAlgebraSerializable where Self: Codable {
    /// An array of what the element type stores for each element.
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
