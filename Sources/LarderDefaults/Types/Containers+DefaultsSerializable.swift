public import LarderCore

extension Array: DefaultsSerializable where Element: DefaultsSerializable {
    /// What the element type says about arrays of it.
    public static var _defaults: DefaultsBridge<[Element.T]> { Element.arrayBridge }
}

extension Dictionary: DefaultsSerializable where Key: DefaultsDictionaryKey, Value: DefaultsSerializable {
    /// A dictionary of what the value type stores for each value, under the texts of the keys.
    public static var _defaults: DefaultsBridge<[Key: Value.T]> {
        DefaultsCodecBridge(DictionaryCodec<Key, Value.T>(element: Value.bridge.exactCodec))
    }
}

extension Set: DefaultsSerializable where Element: DefaultsSerializable, Element.T: Hashable {
    /// An array of what the element type stores for each element, in an order that stays the same.
    public static var _defaults: DefaultsBridge<Set<Element.T>> {
        DefaultsCodecBridge(SetCodec(element: Element.bridge.exactCodec))
    }
    /// An array of such arrays.
    public static var _defaultsArray: DefaultsBridge<[Set<Element.T>]> { bridge.makeArrayBridge() }
}

extension Range: DefaultsSerializable where Bound: DefaultsSerializable, Bound.T: Comparable {
    /// An array of the two bounds.
    public static var _defaults: DefaultsBridge<Range<Bound.T>> {
        DefaultsCodecBridge(
            BoundsCodec(
                bound: Bound.bridge.exactCodec,
                bounds: { ($0.lowerBound, $0.upperBound) },
                value: { lower, upper in lower..<upper }
            )
        )
    }
    /// An array of such arrays.
    public static var _defaultsArray: DefaultsBridge<[Range<Bound.T>]> { bridge.makeArrayBridge() }
}

extension ClosedRange: DefaultsSerializable where Bound: DefaultsSerializable, Bound.T: Comparable {
    /// An array of the two bounds.
    public static var _defaults: DefaultsBridge<ClosedRange<Bound.T>> {
        DefaultsCodecBridge(
            BoundsCodec(
                bound: Bound.bridge.exactCodec,
                bounds: { ($0.lowerBound, $0.upperBound) },
                value: { lower, upper in lower...upper }
            )
        )
    }
    /// An array of such arrays.
    public static var _defaultsArray: DefaultsBridge<[ClosedRange<Bound.T>]> { bridge.makeArrayBridge() }
}

extension Optional: DefaultsSerializable where Wrapped: DefaultsSerializable {
    /// Nothing for `nil`, and what the wrapped type stores otherwise.
    public static var _defaults: DefaultsBridge<Wrapped.T?> { DefaultsOptionalBridge(Wrapped.bridge) }

    /// Whether the wrapped type's values are stored as they are.
    @inlinable public static var _isPlain: Bool { Wrapped._isPlain }

    /// The wrapped value, when it is stored as it is.
    @inlinable
    public static func _plainValue(_ stored: StoredValue) -> Wrapped.T?? {
        Wrapped._plainValue(stored).map { .some($0) }
    }

    /// The wrapped value as every store holds it, and `.null` for none.
    @inlinable
    public static func _plainStored(_ value: Wrapped.T?) -> StoredValue? {
        guard let value else { return Wrapped._isPlain ? .null : nil }
        return Wrapped._plainStored(value)
    }
}
