#if Objects
/// Makes a `final class` an entity: its properties are stored in the database and tracked.
///
/// Every stored property becomes an attribute, or a relationship where it says ``Relationship(deleteRule:inverse:ordered:bridged:)``.
/// The class can't be `Sendable`, so that an object can't leave the storage it belongs to. It has no superclass: what several entities
/// share is a protocol, or another entity that they have a relationship to.
///
/// - Parameters:
///   - unique: Groups of properties, by name; no two objects may share the values of all properties of a group.
///   - indexes: Groups of properties, by name, to index together.
@attached(
    member,
    names: named(objectState),
    named(init(objectState:)),
    named(entityDescription),
    prefixed(addTo),
    prefixed(removeFrom),
    arbitrary
)
@attached(memberAttribute)
// A macro that declares a conformance and does not write it makes the compiler crash at a subclass of the class.
@attached(extension, conformances: Object, Sendable)
public macro Entity(unique: [[String]] = [], indexes: [[String]] = []) =
    #externalMacro(module: "LarderObjectsMacros", type: "EntityMacro")

/// Makes a `final class` an entity, as ``Entity(unique:indexes:)`` does, that is filled from a struct and read as one.
///
/// - Parameters:
///   - unique: Groups of properties, by name; no two objects may share the values of all properties of a group.
///   - indexes: Groups of properties, by name, to index together.
///   - bridges: A struct with the same properties, which may be of a module that knows nothing of storage. The macro
///     writes `update(with:)` and `toReadOnly()`, nested objects included; a property that one of the two lacks does not
///     compile. The properties come in the order in which the struct's initializer takes them.
@attached(
    member,
    names: named(objectState),
    named(init(objectState:)),
    named(entityDescription),
    prefixed(addTo),
    prefixed(removeFrom),
    arbitrary
)
@attached(memberAttribute)
@attached(extension, conformances: Object, Sendable, ReadOnlyConvertible)
public macro Entity(unique: [[String]] = [], indexes: [[String]] = [], bridges: Any.Type) =
    #externalMacro(module: "LarderObjectsMacros", type: "EntityMacro")

/// Says more about an attribute of an ``Entity(unique:indexes:)`` than its type does.
///
/// - Parameters:
///   - options: What to say.
///   - was: The name it had in earlier versions of the model; its column is renamed when such a file is opened.
@attached(peer)
public macro Attribute(_ options: AttributeOption..., was: String? = nil) =
    #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

/// Makes a property of an ``Entity(unique:indexes:)`` a relationship: `Other?` or `Other` to one object, `[Other]` to many.
///
/// Every relationship has an inverse, and exactly one of the two names the other.
///
/// - Parameters:
///   - deleteRule: What happens to the related objects when this one is deleted.
///   - inverse: The relationship back, such as `\Item.order`; on one of the two sides.
///   - ordered: Whether the order of `[Other]` is kept. Without it the objects come in the order they were inserted.
///   - bridged: Whether the struct that the entity bridges has the related objects inside of it; those that are deleted
///     with their owner are unless this says otherwise.
@attached(peer)
public macro Relationship(
    deleteRule: DeleteRule = .nullify,
    inverse: AnyKeyPath? = nil,
    ordered: Bool = false,
    bridged: Bool? = nil
) = #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

/// The same, with the inverse by its name, for where its key path can't be written: in a struct with
/// ``Persistable(unique:indexes:parent:named:)``.
///
/// - Parameters:
///   - deleteRule: What happens to the related objects when this one is deleted.
///   - inverse: The name of the relationship back; on one of the two sides.
///   - ordered: Whether the order of `[Other]` is kept. Without it the objects come in the order they were inserted.
///   - bridged: Whether the struct that the entity bridges has the related objects inside of it; those that are deleted
///     with their owner are unless this says otherwise.
@attached(peer)
public macro Relationship(
    deleteRule: DeleteRule = .nullify,
    inverse: String,
    ordered: Bool = false,
    bridged: Bool? = nil
) = #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

/// Makes a struct of your own storable: writes the ``Entity(unique:indexes:)`` class `StoredNAME` with its properties,
/// and what turns one into the other.
///
/// Say more about a property with ``Attribute(_:was:)`` and ``Relationship(deleteRule:inverse:ordered:bridged:)`` as in an
/// entity. A relationship leads to another such struct, and has the name of its inverse, which is what that struct calls its
/// parent.
///
/// - Parameters:
///   - unique: Groups of properties, by name; no two objects may share the values of all properties of a group.
///   - indexes: Groups of properties, by name, to index together.
///   - parent: The struct that has this one inside of it.
///   - named: The name of the relationship back to it.
@attached(peer, names: prefixed(Stored))
@attached(extension, conformances: PersistableValue, names: named(StoredObject))
public macro Persistable(
    unique: [[String]] = [],
    indexes: [[String]] = [],
    parent: Any.Type? = nil,
    named: String = "parent"
) = #externalMacro(module: "LarderObjectsMacros", type: "PersistableMacro")

/// The accessors of an attribute; written by ``Entity(unique:indexes:)``.
///
/// - Parameter index: Its place among the attributes of its class.
@attached(accessor)
public macro EntityAttribute(_ index: Int) =
    #externalMacro(module: "LarderObjectsMacros", type: "AttributeAccessorMacro")

/// The accessors of a relationship; written by ``Entity(unique:indexes:)``.
///
/// - Parameter index: Its place among the relationships of its class.
@attached(accessor)
public macro EntityRelationship(_ index: Int) =
    #externalMacro(module: "LarderObjectsMacros", type: "RelationshipAccessorMacro")
#endif
