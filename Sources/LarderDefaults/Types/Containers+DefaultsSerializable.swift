extension Array: DefaultsSerializable where Element: DefaultsSerializable {
    /// What the element type says about arrays of it.
    public static var _defaults: DefaultsBridge<[Element.T]> { Element._defaultsArray }
}

extension Dictionary: DefaultsSerializable where Key == String, Value: DefaultsSerializable {
    /// A dictionary of what the value type stores for each value.
    public static var _defaults: DefaultsBridge<[String: Value.T]> {
        DefaultsCodecBridge(DictionaryCodec(element: Value._defaults.codec))
    }
}

extension Optional: DefaultsSerializable where Wrapped: DefaultsSerializable {
    /// Nothing for `nil`, and what the wrapped type stores otherwise.
    public static var _defaults: DefaultsBridge<Wrapped.T?> { DefaultsOptionalBridge(Wrapped._defaults) }
}
