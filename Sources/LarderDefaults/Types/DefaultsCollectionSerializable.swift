import LarderCore

/// A custom collection that a typed key can hold, stored as an array of its encoded elements.
///
/// ```swift
/// struct Bag: DefaultsCollectionSerializable {
///     private var elements: [String]
///     init(_ elements: [String]) { self.elements = elements }
///     var startIndex: Int { elements.startIndex }
///     ...
/// }
/// ```
public protocol DefaultsCollectionSerializable: Collection, DefaultsSerializable
where Element: DefaultsSerializable, Element.T == Element {
    /// Creates a collection with the given elements.
    ///
    /// - Parameter elements: The decoded elements, in the order of the stored array.
    init(_ elements: [Element])
}

extension DefaultsCollectionSerializable {
    /// A bridge that stores a collection as an array of its encoded elements.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodecBridge(ElementsCodec()) }
}

extension DefaultsCollectionSerializable where Self: Codable {
    /// A bridge that stores a collection as an array of its encoded elements.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodecBridge(ElementsCodec()) }
}

private struct ElementsCodec<Value: DefaultsCollectionSerializable>: DefaultsCodec {
    private let elements = ArrayCodec<Value.Element>(element: Value.Element.bridge.exactCodec)

    func encode(_ value: Value) throws -> StoredValue { try elements.encode(Array(value)) }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        let decoded = try elements.decode(stored)
        return Conversion(Value(decoded.value), isLossy: decoded.isLossy)
    }
}
