#if Objects
/// The properties and constraints that ``Entity(unique:indexes:was:dropping:keeping:)`` found in a class, in source order.
///
/// Each description covers only one class. Opening a database checks that the descriptions of all classes in the model are consistent.
public final class EntityDescription: @unchecked Sendable {
    // `@unchecked Sendable` is safe because every property is constant after init, and key paths and metatypes are immutable.
    package let type: any Object.Type
    let name: String
    package let attributes: [AttributeDescription]
    package let relationships: [RelationshipDescription]
    package let uniqueConstraints: [[String]]
    let indexes: [[String]]
    /// The names that the entity had in earlier versions, oldest first.
    let formerNames: [String]
    /// The properties in earlier versions whose values a migration may delete.
    let dropping: [String]
    /// The object to keep when several objects violate a new unique constraint on several properties.
    let keeping: KeptObject?
    /// The properties, keyed by the key paths that predicates and sort descriptors contain.
    let propertiesByKeyPath: [AnyKeyPath: PropertyReference]

    /// Creates the description of an entity.
    ///
    /// The code that the `@Entity` macro generates calls this initializer.
    ///
    /// - Parameters:
    ///   - type: The class of the entity's objects.
    ///   - name: The name of the entity.
    ///   - unique: Groups of property names. No two objects may have the same values in all properties of a group.
    ///   - indexes: Groups of property names to index together.
    ///   - was: The names that the entity had in earlier versions, oldest first.
    ///   - dropping: The properties in earlier versions whose values a migration may delete.
    ///   - keeping: The object to keep when several objects violate a new constraint in `unique`.
    ///   - properties: The properties in source order.
    public init(
        _ type: any Object.Type,
        name: String,
        unique: [[String]] = [],
        indexes: [[String]] = [],
        was: [String] = [],
        dropping: [String] = [],
        keeping: KeptObject? = nil,
        properties: [PropertyDescription]
    ) {
        self.type = type
        self.name = name
        self.uniqueConstraints = unique
        self.indexes = indexes
        self.formerNames = was
        self.dropping = dropping
        self.keeping = keeping
        var attributes: [AttributeDescription] = []
        var relationships: [RelationshipDescription] = []
        var byKeyPath: [AnyKeyPath: PropertyReference] = [:]
        for property in properties {
            switch property.kind {
            case .attribute(let attribute):
                byKeyPath[attribute.keyPath] = .attribute(attributes.count)
                attributes.append(attribute)
            case .relationship(let relationship):
                byKeyPath[relationship.keyPath] = .relationship(relationships.count)
                relationships.append(relationship)
            }
        }
        self.attributes = attributes
        self.relationships = relationships
        self.propertiesByKeyPath = byKeyPath
    }
}

/// A reference to a property of one entity by the property's index among the attributes or the relationships.
enum PropertyReference: Hashable, Sendable {
    case attribute(Int)
    case relationship(Int)
    /// The property is the object's id.
    case key
}

/// The description of one property of an entity.
///
/// The code that the `@Entity` macro generates creates property descriptions.
public struct PropertyDescription: Sendable {
    enum Kind: Sendable {
        case attribute(AttributeDescription)
        case relationship(RelationshipDescription)
    }

    let kind: Kind

    /// Describes an attribute.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute and its column.
    ///   - keyPath: The key path of the property.
    ///   - coding: The coding that encodes and decodes the values.
    ///   - options: The options of the attribute.
    ///   - was: The names that the attribute had in earlier versions, oldest first. When a database with a former name is opened, the
    ///     column is renamed.
    ///   - makeReplacement: A closure that returns the value that a migration writes for `nil` if the attribute is no longer optional, and
    ///     for values that the new type can't decode. Without a replacement, such values prevent the migration.
    ///   - makeDefault: A closure that returns the default value. Without a default, the attribute must be set before the first save.
    /// - Returns: The description of the attribute.
    @inlinable
    public static func attribute<Root: Object, Coding: AttributeCoding>(
        _ name: String,
        _ keyPath: KeyPath<Root, Coding.Value>,
        _ coding: Coding.Type,
        options: [AttributeOption] = [],
        was: [String] = [],
        replacement makeReplacement: (@Sendable () -> Coding.Value)? = nil,
        default makeDefault: (@Sendable () -> Coding.Value)? = nil
    ) -> PropertyDescription {
        // The closures are created here so that the compiler specializes them for the attribute's type.
        var makeStored: (@Sendable () throws -> ColumnValue)?
        if let makeDefault { makeStored = { try Coding.stored(makeDefault()) } }
        var makeStoredReplacement: (@Sendable () throws -> ColumnValue)?
        if let makeReplacement { makeStoredReplacement = { try Coding.stored(makeReplacement()) } }
        return attribute(name, keyPath, coding, options, was, makeStored, makeStoredReplacement)
    }

    @usableFromInline static func attribute<Root: Object, Coding: AttributeCoding>(
        _ name: String,
        _ keyPath: KeyPath<Root, Coding.Value>,
        _ coding: Coding.Type,
        _ options: [AttributeOption],
        _ was: [String],
        _ makeStored: (@Sendable () throws -> ColumnValue)?,
        _ makeStoredReplacement: (@Sendable () throws -> ColumnValue)?
    ) -> PropertyDescription {
        PropertyDescription(
            kind: .attribute(
                AttributeDescription(
                    name: name,
                    keyPath: keyPath,
                    coding: coding,
                    options: Set(options),
                    formerNames: was,
                    makeDefault: makeStored,
                    makeReplacement: makeStoredReplacement
                )
            )
        )
    }

    /// Describes an optional to-one relationship.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship.
    ///   - keyPath: The key path of the property.
    ///   - inverse: The key path of the inverse relationship, or `nil` if the inverse names this relationship.
    ///   - deleteRule: What happens to the related object when this object is deleted.
    ///   - ordered: Must be `false`, because only a to-many relationship can be ordered.
    ///   - was: The names that the relationship had in earlier versions, oldest first.
    ///   - keeping: The related object to keep if the relationship was to-many.
    /// - Returns: The description of the relationship.
    public static func relationship<Root: Object, Other: Object>(
        _ name: String,
        _ keyPath: KeyPath<Root, Other?>,
        inverse: AnyKeyPath? = nil,
        deleteRule: DeleteRule = .nullify,
        ordered: Bool = false,
        was: [String] = [],
        keeping: KeptObject? = nil
    ) -> PropertyDescription {
        relationship(name, keyPath, to: Other.self, .optionalOne, inverse, deleteRule, ordered, was, keeping)
    }

    /// Describes a required to-one relationship.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship.
    ///   - keyPath: The key path of the property.
    ///   - inverse: The key path of the inverse relationship, or `nil` if the inverse names this relationship.
    ///   - deleteRule: What happens to the related object when this object is deleted.
    ///   - ordered: Must be `false`, because only a to-many relationship can be ordered.
    ///   - was: The names that the relationship had in earlier versions, oldest first.
    ///   - keeping: The related object to keep if the relationship was to-many.
    /// - Returns: The description of the relationship.
    public static func relationship<Root: Object, Other: Object>(
        _ name: String,
        _ keyPath: KeyPath<Root, Other>,
        inverse: AnyKeyPath? = nil,
        deleteRule: DeleteRule = .nullify,
        ordered: Bool = false,
        was: [String] = [],
        keeping: KeptObject? = nil
    ) -> PropertyDescription {
        relationship(name, keyPath, to: Other.self, .requiredOne, inverse, deleteRule, ordered, was, keeping)
    }

    /// Describes a to-many relationship.
    ///
    /// - Parameters:
    ///   - name: The name of the relationship.
    ///   - keyPath: The key path of the property.
    ///   - inverse: The key path of the inverse relationship, or `nil` if the inverse names this relationship.
    ///   - deleteRule: What happens to the related objects when this object is deleted.
    ///   - ordered: Whether the order of the related objects is stored.
    ///   - was: The names that the relationship had in earlier versions, oldest first.
    ///   - keeping: Has no effect on a to-many relationship.
    /// - Returns: The description of the relationship.
    public static func relationship<Root: Object, Other: Object>(
        _ name: String,
        _ keyPath: KeyPath<Root, [Other]>,
        inverse: AnyKeyPath? = nil,
        deleteRule: DeleteRule = .nullify,
        ordered: Bool = false,
        was: [String] = [],
        keeping: KeptObject? = nil
    ) -> PropertyDescription {
        relationship(name, keyPath, to: Other.self, .many, inverse, deleteRule, ordered, was, keeping)
    }

    private static func relationship(
        _ name: String,
        _ keyPath: AnyKeyPath,
        to destination: any Object.Type,
        _ cardinality: RelationshipDescription.Cardinality,
        _ inverse: AnyKeyPath?,
        _ deleteRule: DeleteRule,
        _ ordered: Bool,
        _ was: [String],
        _ keeping: KeptObject?
    ) -> PropertyDescription {
        PropertyDescription(
            kind: .relationship(
                RelationshipDescription(
                    name: name,
                    keyPath: keyPath,
                    destination: destination,
                    cardinality: cardinality,
                    isOrdered: ordered,
                    inverse: inverse,
                    deleteRule: deleteRule,
                    formerNames: was,
                    keeping: keeping
                )
            )
        )
    }
}
#endif
