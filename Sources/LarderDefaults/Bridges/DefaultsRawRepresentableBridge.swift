public import LarderCore

/// The bridge for types with a raw value, such as enums: the raw value is kept.
open class DefaultsRawRepresentableBridge<T: RawRepresentable>: DefaultsCodecBridge<T> where T.RawValue: StorableValue {
    /// A bridge.
    public init() { super.init(RawValueCodec()) }

    /// `true`: the raw value is kept.
    ///
    /// - Returns: `true`
    open override func isSerialized() -> Bool { true }
}

/// The bridge for collections of values with a raw value: the raw values are kept, in their order.
///
/// An unknown raw value makes the whole collection unreadable; nothing is dropped silently.
open class DefaultsRawRepresentableArrayBridge<T: RangeReplaceableCollection>: DefaultsCodecBridge<T>
where T.Element: RawRepresentable, T.Element.RawValue: StorableValue {
    /// A bridge.
    public init() { super.init(CollectionCodec(element: RawValueCodec())) }

    /// `true`: the raw values are kept.
    ///
    /// - Returns: `true`
    open override func isSerialized() -> Bool { true }
}
