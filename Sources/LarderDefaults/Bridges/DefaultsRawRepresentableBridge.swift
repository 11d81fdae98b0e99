public import LarderCore

/// A bridge that stores the raw values of an enum or another raw-representable type.
open class DefaultsRawRepresentableBridge<T: RawRepresentable>: DefaultsCodecBridge<T> where T.RawValue: StorableValue {
    /// Creates a bridge that stores raw values.
    public init() { super.init(RawValueCodec()) }

    /// Always returns `true`, because the stored raw value must be decoded.
    open override func isSerialized() -> Bool { true }
}

/// A bridge that stores a collection of enum values, or other raw-representable values, as an array of raw values.
///
/// If a raw value is unknown, the whole collection can't be decoded.
open class DefaultsRawRepresentableArrayBridge<T: RangeReplaceableCollection>: DefaultsCodecBridge<T>
where T.Element: RawRepresentable, T.Element.RawValue: StorableValue {
    /// Creates a bridge that stores an array of raw values.
    public init() { super.init(CollectionCodec(element: RawValueCodec())) }

    /// Always returns `true`, because the stored raw values must be decoded.
    open override func isSerialized() -> Bool { true }
}
