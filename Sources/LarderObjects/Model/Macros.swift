#if Objects
/// Makes a `final class` an entity: its properties are stored in the database and tracked.
///
/// Every stored property becomes an attribute, or a relationship where it says ``Relationship(deleteRule:inverse:ordered:)``.
/// The class can't be `Sendable`, so that an object can't leave the storage it belongs to.
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
@attached(extension, conformances: Object, Sendable)
public macro Entity(unique: [[String]] = [], indexes: [[String]] = []) =
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
@attached(peer)
public macro Relationship(deleteRule: DeleteRule = .nullify, inverse: AnyKeyPath? = nil, ordered: Bool = false) =
    #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

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
