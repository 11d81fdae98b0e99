#if Objects
/// Turns a `final class` into an entity whose properties are stored in the database.
///
/// Every stored property becomes an attribute, or a relationship if the property is marked with `@Relationship`. The class can't be
/// `Sendable`, because objects are confined to their storage. The class can't have a superclass. To share properties among entities, use a
/// protocol or a relationship to another entity.
///
/// - Parameters:
///   - unique: Groups of property names. No two objects may have the same values in all properties of a group.
///   - indexes: Groups of property names to index together.
///   - was: The names that the entity had in earlier versions, oldest first. When a database with a former name is opened, the table is
///     renamed, and the objects keep their ids.
///   - dropping: The attributes and relationships of earlier versions whose values a migration may delete, by their most recent names. For
///     example, `items.order` discards only the order of the relationship `items`.
///   - keeping: The object to keep when several objects violate a new constraint in `unique`. Without this argument, such objects prevent
///     the migration.
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
// If a macro declares a conformance but does not generate it, the compiler crashes at a subclass of the class.
@attached(extension, conformances: Object, Sendable)
public macro Entity(
    unique: [[String]] = [],
    indexes: [[String]] = [],
    was: String...,
    dropping: [String] = [],
    keeping: KeptObject? = nil
) = #externalMacro(module: "LarderObjectsMacros", type: "EntityMacro")

/// Turns a `final class` into an entity that converts to and from a struct.
///
/// - Parameters:
///   - unique: Groups of property names. No two objects may have the same values in all properties of a group.
///   - indexes: Groups of property names to index together.
///   - was: The names that the entity had in earlier versions, oldest first. When a database with a former name is opened, the table is
///     renamed, and the objects keep their ids.
///   - dropping: The attributes and relationships of earlier versions whose values a migration may delete, by their most recent names. For
///     example, `items.order` discards only the order of the relationship `items`.
///   - keeping: The object to keep when several objects violate a new constraint in `unique`. Without this argument, such objects prevent
///     the migration.
///   - bridges: A struct with the same properties, declared in the order of the struct's initializer. The macro generates `update(with:)`
///     and `toReadOnly()`, which also convert nested objects. A property that is missing in the class or the struct causes a compiler
///     error.
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
public macro Entity(
    unique: [[String]] = [],
    indexes: [[String]] = [],
    was: String...,
    dropping: [String] = [],
    keeping: KeptObject? = nil,
    bridges: Any.Type
) = #externalMacro(module: "LarderObjectsMacros", type: "EntityMacro")

/// Sets options for an attribute of an ``Entity(unique:indexes:was:dropping:keeping:)``.
///
/// - Parameters:
///   - options: The options to set.
///   - was: The names that the attribute had in earlier versions, oldest first. When a database with a former name is opened, the column
///     is renamed.
@attached(peer)
public macro Attribute(_ options: AttributeOption..., was: String...) =
    #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

/// Sets options for an attribute, and a replacement for stored values that a migration can't convert.
///
/// When an attribute is added, existing objects get the property's initial value. To replace stored values, use `default`. The compiler
/// can't infer the argument's type, so write `Status.placed` instead of `.placed`, and `Int?.none` instead of `nil`.
///
/// - Parameters:
///   - options: The options to set.
///   - was: The names that the attribute had in earlier versions, oldest first. When a database with a former name is opened, the column is
///     renamed.
///   - default: The value that a migration writes for `nil` if the attribute is no longer optional, and for values that the new type can't
///     decode.
@attached(peer)
public macro Attribute<Value>(_ options: AttributeOption..., was: String..., default: Value) =
    #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

/// Declares a property of an ``Entity(unique:indexes:was:dropping:keeping:)`` as a relationship.
///
/// A property of type `Other?` or `Other` is to-one, and `[Other]` is to-many.
///
/// Every relationship has an inverse. Specify the inverse on exactly one of the two sides.
///
/// - Parameters:
///   - deleteRule: What happens to the related objects when this object is deleted.
///   - inverse: The key path of the inverse relationship, such as `\Item.order`. Specify it on one side only.
///   - ordered: Whether the order of `[Other]` is stored. Otherwise, the objects are in insertion order.
///   - bridged: Whether the bridged struct contains the related objects. Defaults to `true` for relationships that cascade deletions, and
///     to `false` for all others.
///   - was: The names that the relationship had in earlier versions, oldest first.
///   - keeping: The related object to keep if the relationship was to-many. Without this argument, an object with several related objects
///     prevents the migration.
@attached(peer)
public macro Relationship(
    deleteRule: DeleteRule = .nullify,
    inverse: AnyKeyPath? = nil,
    ordered: Bool = false,
    bridged: Bool? = nil,
    was: String...,
    keeping: KeptObject? = nil
) = #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

/// Declares a relationship in a ``Persistable(unique:indexes:parent:named:was:dropping:keeping:)`` struct, with its inverse specified by
/// name.
///
/// - Parameters:
///   - deleteRule: What happens to the related objects when this object is deleted.
///   - inverse: The name of the inverse relationship. Specify it on one side only.
///   - ordered: Whether the order of `[Other]` is stored. Otherwise, the objects are in insertion order.
///   - bridged: Whether the bridged struct contains the related objects. Defaults to `true` in a `@Persistable` struct.
///   - was: The names that the relationship had in earlier versions, oldest first.
///   - keeping: The related object to keep if the relationship was to-many. Without this argument, an object with several related objects
///     prevents the migration.
@attached(peer)
public macro Relationship(
    deleteRule: DeleteRule = .nullify,
    inverse: String,
    ordered: Bool = false,
    bridged: Bool? = nil,
    was: String...,
    keeping: KeptObject? = nil
) = #externalMacro(module: "LarderObjectsMacros", type: "MarkerMacro")

/// Generates an entity class that stores values of a struct.
///
/// For a struct `NAME`, the macro generates the ``Entity(unique:indexes:was:dropping:keeping:)`` class `StoredNAME` and the conversions in
/// both directions.
///
/// Mark properties with ``Attribute(_:was:)`` and `@Relationship` as in an entity. A relationship must refer to another `@Persistable`
/// struct. Its `inverse` is the name of that struct's relationship to its parent.
///
/// - Parameters:
///   - unique: Groups of property names. No two objects may have the same values in all properties of a group.
///   - indexes: Groups of property names to index together.
///   - parent: The struct that contains this struct.
///   - named: The name of the relationship to the parent.
///   - was: The names that the struct had in earlier versions, oldest first.
///   - dropping: The attributes and relationships of earlier versions whose values a migration may delete, by their most recent names.
///   - keeping: The object to keep when several objects violate a new constraint in `unique`. Without this argument, such objects prevent
///     the migration.
@attached(peer, names: prefixed(Stored))
@attached(extension, conformances: PersistableValue, names: named(StoredObject))
public macro Persistable(
    unique: [[String]] = [],
    indexes: [[String]] = [],
    parent: Any.Type? = nil,
    named: String = "parent",
    was: String...,
    dropping: [String] = [],
    keeping: KeptObject? = nil
) = #externalMacro(module: "LarderObjectsMacros", type: "PersistableMacro")

/// Generates the accessors for an attribute.
///
/// ``Entity(unique:indexes:was:dropping:keeping:)`` adds this macro.
///
/// - Parameter index: The index of the attribute among the attributes of its class.
@attached(accessor)
public macro EntityAttribute(_ index: Int) =
    #externalMacro(module: "LarderObjectsMacros", type: "AttributeAccessorMacro")

/// Generates the accessors for a relationship.
///
/// ``Entity(unique:indexes:was:dropping:keeping:)`` adds this macro.
///
/// - Parameter index: The index of the relationship among the relationships of its class.
@attached(accessor)
public macro EntityRelationship(_ index: Int) =
    #externalMacro(module: "LarderObjectsMacros", type: "RelationshipAccessorMacro")
#endif
