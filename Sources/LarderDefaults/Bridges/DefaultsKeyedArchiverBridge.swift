/// The bridge for classes that adopt `NSCoding`, and arrays of them: each is kept as a keyed archive.
///
/// It asks nothing of `T`, because the migration guide it comes from puts a plain struct there. **A value that can't be
/// archived is not stored**: the earlier one stays, and a ``LarderCore/LarderIssue`` says so. That is every struct and enum
/// that is not one of Foundation's, and every class that does not adopt `NSCoding` or that is nested, generic or private:
/// Foundation can't archive those. Make such a type `Codable` instead.
open class DefaultsKeyedArchiverBridge<T>: DefaultsCodecBridge<T> {
    /// A bridge.
    public init() { super.init(ArchiveCodec()) }

    /// `true`: the value is kept as an archive.
    ///
    /// - Returns: `true`
    open override func isSerialized() -> Bool { true }

    /// An array is one archive.
    override func makeArrayBridge() -> DefaultsBridge<[T]> { DefaultsKeyedArchiverBridge<[T]>() }
}
