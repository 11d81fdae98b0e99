/// The bridge for classes that adopt `NSCoding`, and arrays of them: each is kept as a keyed archive.
///
/// It asks nothing of `T`, because the migration guide it comes from puts a plain struct there. **A value that can't be
/// archived is not stored**: the earlier one stays, and a ``LarderCore/LarderIssue`` says so. That is every struct and enum
/// that is not one of Foundation's, and every class that does not adopt `NSCoding` or that is nested, generic or private:
/// Foundation can't archive those. Make such a type `Codable` instead.
///
/// **Nothing in an archive is believed.** Before any object is made of it, all of it is checked: every reference leads
/// somewhere, no object holds itself, at most 64 lie inside one another, there are at most a million, and every class is on the
/// type's list: `T` itself (or what `T` is an array, a set, a dictionary or an optional of) and Foundation's `NSArray`, `NSSet`,
/// `NSDictionary`, `NSString`, `NSNumber`, `NSData`, `NSDate`, `NSURL`, `NSUUID` and `NSNull`. A class that adopts
/// `NSSecureCoding` is decoded securely, and may hold objects of classes that are named to ``init(classes:)``. What fails the
/// check reads as nothing, stays where it is and is reported. XML archives are read too.
open class DefaultsKeyedArchiverBridge<T>: DefaultsCodecBridge<T> {
    private let others: [AnyClass]

    /// A bridge.
    public convenience init() { self.init(classes: []) }

    /// A bridge for objects that hold objects of other classes.
    ///
    /// - Parameter classes: The other classes, which must adopt `NSSecureCoding`, as the class of `T` must. What is not listed
    ///   is neither written nor read.
    public init(classes: [AnyClass]) {
        others = classes
        super.init(ArchiveCodec(others: classes))
    }

    /// `true`: the value is kept as an archive.
    ///
    /// - Returns: `true`
    open override func isSerialized() -> Bool { true }

    /// An array is one archive, unless a subclass may do anything with each element.
    override func makeArrayBridge() -> DefaultsBridge<[T]> {
        isHandWritten ? super.makeArrayBridge() : DefaultsKeyedArchiverBridge<[T]>(classes: others)
    }
}
