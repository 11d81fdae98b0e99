#if Objects
/// An object in a LarderObjects database, comparable to `NSManagedObject`.
///
/// Write a `final class` with ``Entity(unique:indexes:was:dropping:keeping:)``, which adds the conformance to this protocol. Create objects
/// with ``WritableStorageType/insertNewObject(ofType:)``. An object belongs to its storage and is not `Sendable`. A storage has at most one
/// instance per row, and two objects are equal if they are the same instance.
public protocol Object: AnyObject, Hashable, SendableMetatype {
    /// The properties and constraints that the `@Entity` macro found in the class.
    static var entityDescription: EntityDescription { get }

    /// The object's values and tracked changes.
    ///
    /// The code that the `@Entity` macro generates uses this property.
    var objectState: ObjectState { get }

    /// Creates an instance for a state.
    ///
    /// Only the storage calls this initializer.
    ///
    /// - Parameter state: The object's values and tracked changes.
    init(objectState state: ObjectState)
}

extension Object {
    /// The name of the entity, which is the class's name unless the macro specifies another name.
    public static var entityName: String { entityDescription.name }

    /// The object's id, which never changes after insertion.
    public var objectID: ObjectID { objectState.objectID }

    /// Whether the object has changes that are not yet written to the database.
    ///
    /// A large import is written in several steps. After each step, this property is `false`, while ``WritableStorageType/hasChanges`` is
    /// still `true`.
    public var hasChanges: Bool { objectState.hasChanges }

    /// Whether the object has been deleted, even if the deletion is not saved yet.
    ///
    /// The object's values can still be read.
    public var isDeleted: Bool { objectState.isDeleted }

    /// Returns whether two objects are the same instance.
    public static func == (first: Self, second: Self) -> Bool { first === second }

    /// Hashes the identity of the instance.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
