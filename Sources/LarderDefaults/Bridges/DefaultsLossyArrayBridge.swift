/// A bridge for arrays that skips elements it can't decode, instead of failing for the whole array.
///
/// Return this bridge from `_defaultsArray`. Each read that skips an element reports a `LarderIssue` with code `lossyConversion`. The
/// stored array is unchanged until the key is written.
open class DefaultsLossyArrayBridge<Element>: DefaultsCodecBridge<[Element]> {
    /// Creates a bridge for arrays from a bridge for elements.
    ///
    /// - Parameter element: The bridge that reads and writes single elements.
    public init(_ element: DefaultsBridge<Element>) { super.init(LossyArrayCodec(element: element.exactCodec)) }
}
