#if Objects
/// An object that lives in an object storage; what `NSManagedObject` is to Core Data.
///
/// Write a `final class` with ``Entity(unique:indexes:)``, which supplies everything here. Objects are made by
/// ``WritableStorageType/insertNewObject(ofType:)`` and belong to the storage they came from: they are not `Sendable`, so
/// they can't leave it. Two objects are equal when they are the same instance, and one storage has at most one instance for
/// a row.
public protocol Object: AnyObject, Hashable, SendableMetatype {
    /// What the macro found in the class.
    static var entityDescription: EntityDescription { get }

    /// Values and bookkeeping; for the code that the macro writes.
    var objectState: ObjectState { get }

    /// An instance around a state; for the storage.
    ///
    /// - Parameter state: Its values and bookkeeping.
    init(objectState state: ObjectState)
}

extension Object {
    /// The name of the entity, which is the name of the class unless the macro was given another.
    public static var entityName: String { entityDescription.name }

    /// Which object this is.
    ///
    /// Final from the moment of insertion.
    public var objectID: ObjectID { objectState.objectID }

    /// Whether it has changes that are not written to the database.
    ///
    /// A large import is written in parts: after that this is `false`, and ``WritableStorageType/hasChanges`` is still `true`.
    public var hasChanges: Bool { objectState.hasChanges }

    /// Whether it was deleted, saved or not.
    ///
    /// Its values stay readable.
    public var isDeleted: Bool { objectState.isDeleted }

    /// Whether both are the same instance.
    public static func == (first: Self, second: Self) -> Bool { first === second }

    /// Hashes the identity of the instance.
    ///
    /// - Parameter hasher: What to feed.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
