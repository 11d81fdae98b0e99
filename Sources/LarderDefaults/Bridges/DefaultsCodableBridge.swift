/// A bridge for `Codable` types that stores each value as JSON with sorted keys.
open class DefaultsCodableBridge<T: Codable>: DefaultsCodecBridge<T> {
    /// Creates a bridge that encodes values with `JSONEncoder`.
    public init() { super.init(JSONCodec()) }

    /// Always returns `true`, because this bridge stores JSON.
    open override func isSerialized() -> Bool { true }

    // A subclass may decode equal stored values differently.
    override var keepsDecoded: Bool { type(of: self) == DefaultsCodableBridge<T>.self }

    /// Creates a bridge that stores an array as a single JSON document, as SwiftyUserDefaults 4 and 5 do.
    ///
    /// If a subclass overrides how single values are stored, the bridge stores an array of encoded elements instead.
    override func makeArrayBridge() -> DefaultsBridge<[T]> {
        isHandWritten ? super.makeArrayBridge() : DefaultsCodableBridge<[T]>()
    }
}
