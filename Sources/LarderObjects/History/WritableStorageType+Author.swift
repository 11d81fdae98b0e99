#if Objects
extension WritableStorageType {
    /// The name under which this save is recorded in the file, such as the name of a user or of an import.
    ///
    /// `nil`, the default, selects ``ObjectStorageConfiguration/author``. The name can be set until the closure returns. Setting it has no
    /// effect on a type of storage that is not Larder's.
    public var author: String? {
        get { (self as? WriterStorage)?.context.author }
        set { (self as? WriterStorage)?.context.author = newValue }
    }
}
#endif
