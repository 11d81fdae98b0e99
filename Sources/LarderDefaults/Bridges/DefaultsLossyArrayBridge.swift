/// The bridge for arrays of which a bad element is left out, instead of making the whole array unreadable.
///
/// Return it from ``DefaultsSerializable/_defaultsArray``. Each read that leaves something out reports a
/// ``LarderCore/LarderIssue`` with code `lossyConversion`; the stored array stays as it is until the key is written.
open class DefaultsLossyArrayBridge<Element>: DefaultsCodecBridge<[Element]> {
    /// A bridge over the one for the elements.
    ///
    /// - Parameter element: Reads and writes single elements.
    public init(_ element: DefaultsBridge<Element>) { super.init(LossyArrayCodec(element: element.exactCodec)) }
}
