import LarderCore

/// A collection of your own that typed keys can hold; it is stored as an array of what its elements are stored as.
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
    /// A collection of elements.
    ///
    /// - Parameter elements: The elements, in the order in which the collection had them.
    init(_ elements: [Element])
}

extension DefaultsCollectionSerializable {
    /// An array of what the element type stores for each element.
    public static var _defaults: DefaultsBridge<Self> { DefaultsCodecBridge(ElementsCodec()) }
}

extension DefaultsCollectionSerializable where Self: Codable {
    /// An array of what the element type stores for each element.
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
