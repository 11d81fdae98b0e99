public import LarderCore

extension Array: DefaultsSerializable where Element: DefaultsSerializable {
    /// The bridge that the element type provides for arrays.
    public static var _defaults: DefaultsBridge<[Element.T]> { Element.arrayBridge }
}

extension Dictionary: DefaultsSerializable where Key: DefaultsDictionaryKey, Value: DefaultsSerializable {
    /// A bridge that stores a dictionary with string keys and encoded values.
    public static var _defaults: DefaultsBridge<[Key: Value.T]> {
        DefaultsCodecBridge(DictionaryCodec<Key, Value.T>(element: Value.bridge.exactCodec))
    }
}

extension Set: DefaultsSerializable where Element: DefaultsSerializable, Element.T: Hashable {
    /// A bridge that stores a set as an array of its encoded elements, in a stable order.
    public static var _defaults: DefaultsBridge<Set<Element.T>> {
        DefaultsCodecBridge(SetCodec(element: Element.bridge.exactCodec))
    }
    /// A bridge that stores an array of sets, each as an array of its elements.
    public static var _defaultsArray: DefaultsBridge<[Set<Element.T>]> { bridge.makeArrayBridge() }
}

extension Range: DefaultsSerializable where Bound: DefaultsSerializable, Bound.T: Comparable {
    /// A bridge that stores a range as an array of its two bounds.
    public static var _defaults: DefaultsBridge<Range<Bound.T>> {
        DefaultsCodecBridge(
            BoundsCodec(
                bound: Bound.bridge.exactCodec,
                bounds: { ($0.lowerBound, $0.upperBound) },
                value: { lower, upper in lower..<upper }
            )
        )
    }
    /// A bridge that stores an array of ranges as an array of two-element arrays.
    public static var _defaultsArray: DefaultsBridge<[Range<Bound.T>]> { bridge.makeArrayBridge() }
}

extension ClosedRange: DefaultsSerializable where Bound: DefaultsSerializable, Bound.T: Comparable {
    /// A bridge that stores a range as an array of its two bounds.
    public static var _defaults: DefaultsBridge<ClosedRange<Bound.T>> {
        DefaultsCodecBridge(
            BoundsCodec(
                bound: Bound.bridge.exactCodec,
                bounds: { ($0.lowerBound, $0.upperBound) },
                value: { lower, upper in lower...upper }
            )
        )
    }
    /// A bridge that stores an array of ranges as an array of two-element arrays.
    public static var _defaultsArray: DefaultsBridge<[ClosedRange<Bound.T>]> { bridge.makeArrayBridge() }
}

extension Optional: DefaultsSerializable where Wrapped: DefaultsSerializable {
    /// A bridge that stores the wrapped value, or removes the stored value for `nil`.
    public static var _defaults: DefaultsBridge<Wrapped.T?> { DefaultsOptionalBridge(Wrapped.bridge) }

    /// Whether values of the wrapped type are stored directly.
    @inlinable public static var _isPlain: Bool { Wrapped._isPlain }

    /// Returns the wrapped value if `stored` holds it directly, or the outer `nil` if `stored` has another type.
    @inlinable
    public static func _plainValue(_ stored: StoredValue) -> Wrapped.T?? {
        Wrapped._plainValue(stored).map { .some($0) }
    }

    /// Returns the stored value that holds the wrapped value directly, or `.null` for `nil`.
    ///
    /// Returns `nil` if the wrapped type needs a bridge.
    @inlinable
    public static func _plainStored(_ value: Wrapped.T?) -> StoredValue? {
        guard let value else { return Wrapped._isPlain ? .null : nil }
        return Wrapped._plainStored(value)
    }
}
