/// A bridge that stores `NSCoding` objects, and arrays of such objects, as keyed archives.
///
/// `T` is unconstrained because SwiftyUserDefaults' migration guide uses this bridge with a plain struct. **A value that can't be archived
/// is not stored.** The previous value is kept, and a `LarderIssue` is reported. Foundation can't archive structs and enums other than its
/// own, or classes that don't adopt `NSCoding` or are nested, generic or private. Make such a type `Codable` instead.
///
/// **Archives are untrusted input.** The whole archive is checked before any object is created. All references must be valid, no object may
/// contain itself, and every class must be allowed. An archive may contain at most a million objects, nested at most 64 levels deep. The
/// allowed classes are `T` (or the element type if `T` is an array, a set, a dictionary or an optional) and Foundation's `NSArray`,
/// `NSSet`, `NSDictionary`, `NSString`, `NSNumber`, `NSData`, `NSDate`, `NSURL`, `NSUUID` and `NSNull`. If `T` adopts `NSSecureCoding`,
/// objects are decoded securely and may also contain objects of the classes passed to ``init(classes:)``. If an archive fails the check,
/// the bridge returns `nil`, the stored archive is unchanged, and an issue is reported. XML archives can also be read.
open class DefaultsKeyedArchiverBridge<T>: DefaultsCodecBridge<T> {
    private let others: [AnyClass]

    /// Creates a bridge that accepts only archives of `T` and the allowed Foundation classes.
    public convenience init() { self.init(classes: []) }

    /// Creates a bridge that also accepts objects of the given classes in archives.
    ///
    /// - Parameter classes: The additional classes, which must adopt `NSSecureCoding`, as must the class of `T`. Objects of other classes
    ///   are neither written nor read.
    public init(classes: [AnyClass]) {
        others = classes
        super.init(ArchiveCodec(others: classes))
    }

    /// Always returns `true`, because this bridge encodes values as archives.
    open override func isSerialized() -> Bool { true }

    /// Creates a bridge that stores an array as a single archive.
    ///
    /// If a subclass overrides how single values are stored, the bridge stores an array of encoded elements instead.
    override func makeArrayBridge() -> DefaultsBridge<[T]> {
        isHandWritten ? super.makeArrayBridge() : DefaultsKeyedArchiverBridge<[T]>(classes: others)
    }
}
