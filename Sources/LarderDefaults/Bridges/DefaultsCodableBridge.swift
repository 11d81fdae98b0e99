/// The bridge for `Codable` types: each value is kept as JSON, with its keys sorted.
open class DefaultsCodableBridge<T: Codable>: DefaultsCodecBridge<T> {
    /// A bridge.
    public init() { super.init(JSONCodec()) }

    /// `true`: the value is kept as JSON.
    ///
    /// - Returns: `true`
    open override func isSerialized() -> Bool { true }

    // A subclass may do anything.
    override var keepsDecoded: Bool { type(of: self) == DefaultsCodableBridge<T>.self }

    /// An array is one JSON document, as SwiftyUserDefaults 4 and 5 keep it, unless a subclass may do anything with each element.
    override func makeArrayBridge() -> DefaultsBridge<[T]> {
        isHandWritten ? super.makeArrayBridge() : DefaultsCodableBridge<[T]>()
    }
}
