#if Objects
/// What ``Entity(unique:indexes:)`` found in a class: its properties in the order they are written, and its constraints.
///
/// It describes one class. How the classes of a model fit together is checked when the model is opened.
public final class EntityDescription: @unchecked Sendable {
    // Sendable: all of it is constant after init; key paths and metatypes are immutable values.
    package let type: any Object.Type
    let name: String
    package let attributes: [AttributeDescription]
    package let relationships: [RelationshipDescription]
    package let uniqueConstraints: [[String]]
    let indexes: [[String]]
    /// Finds a property by the key path a predicate or a sort order holds.
    let propertiesByKeyPath: [AnyKeyPath: PropertyReference]

    /// A description; written by the macro.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - name: The name of the entity.
    ///   - unique: Groups of properties whose values no two objects may share.
    ///   - indexes: Groups of properties to index.
    ///   - properties: The properties in the order they are written.
    public init(
        _ type: any Object.Type,
        name: String,
        unique: [[String]] = [],
        indexes: [[String]] = [],
        properties: [PropertyDescription]
    ) {
        self.type = type
        self.name = name
        self.uniqueConstraints = unique
        self.indexes = indexes
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

/// A property of one entity, by its place among its kind.
enum PropertyReference: Hashable, Sendable {
    case attribute(Int)
    case relationship(Int)
    /// The id of the object.
    case key
}

/// One property of an entity; written by the macro.
public struct PropertyDescription: Sendable {
    enum Kind: Sendable {
        case attribute(AttributeDescription)
        case relationship(RelationshipDescription)
    }

    let kind: Kind

    /// An attribute.
    ///
    /// - Parameters:
    ///   - name: Its name, which is the name of its column.
    ///   - keyPath: Its key path.
    ///   - coding: How its values are stored.
    ///   - options: What was said about it.
    ///   - was: The name it had in earlier versions of the model; its column is renamed when such a file is opened.
    ///   - makeDefault: Its value in a new object; without one it must be set before the first save.
    /// - Returns: The property.
    @inlinable
    public static func attribute<Root: Object, Coding: AttributeCoding>(
        _ name: String,
        _ keyPath: KeyPath<Root, Coding.Value>,
        _ coding: Coding.Type,
        options: [AttributeOption] = [],
        was: String? = nil,
        default makeDefault: (@Sendable () -> Coding.Value)? = nil
    ) -> PropertyDescription {
        // Made here, it is compiled for the type of the attribute.
        var makeStored: (@Sendable () throws -> ColumnValue)?
        if let makeDefault { makeStored = { try Coding.stored(makeDefault()) } }
        return attribute(name, keyPath, coding, options, was, makeStored: makeStored)
    }

    @usableFromInline static func attribute<Root: Object, Coding: AttributeCoding>(
        _ name: String,
        _ keyPath: KeyPath<Root, Coding.Value>,
        _ coding: Coding.Type,
        _ options: [AttributeOption],
        _ was: String?,
        makeStored: (@Sendable () throws -> ColumnValue)?
    ) -> PropertyDescription {
        PropertyDescription(
            kind: .attribute(
                AttributeDescription(
                    name: name,
                    keyPath: keyPath,
                    coding: coding,
                    options: Set(options),
                    formerName: was,
                    makeDefault: makeStored
                )
            )
        )
    }

    /// A relationship to at most one object.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - keyPath: Its key path.
    ///   - inverse: The relationship back, if this side names it.
    ///   - deleteRule: What happens to the other object when this one is deleted.
    ///   - ordered: Whether the order is kept, which only a relationship to many objects can do.
    /// - Returns: The property.
    public static func relationship<Root: Object, Other: Object>(
        _ name: String,
        _ keyPath: KeyPath<Root, Other?>,
        inverse: AnyKeyPath? = nil,
        deleteRule: DeleteRule = .nullify,
        ordered: Bool = false
    ) -> PropertyDescription { relationship(name, keyPath, to: Other.self, .optionalOne, inverse, deleteRule, ordered) }

    /// A relationship to exactly one object.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - keyPath: Its key path.
    ///   - inverse: The relationship back, if this side names it.
    ///   - deleteRule: What happens to the other object when this one is deleted.
    ///   - ordered: Whether the order is kept, which only a relationship to many objects can do.
    /// - Returns: The property.
    public static func relationship<Root: Object, Other: Object>(
        _ name: String,
        _ keyPath: KeyPath<Root, Other>,
        inverse: AnyKeyPath? = nil,
        deleteRule: DeleteRule = .nullify,
        ordered: Bool = false
    ) -> PropertyDescription { relationship(name, keyPath, to: Other.self, .requiredOne, inverse, deleteRule, ordered) }

    /// A relationship to many objects.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - keyPath: Its key path.
    ///   - inverse: The relationship back, if this side names it.
    ///   - deleteRule: What happens to the other objects when this one is deleted.
    ///   - ordered: Whether the order is kept.
    /// - Returns: The property.
    public static func relationship<Root: Object, Other: Object>(
        _ name: String,
        _ keyPath: KeyPath<Root, [Other]>,
        inverse: AnyKeyPath? = nil,
        deleteRule: DeleteRule = .nullify,
        ordered: Bool = false
    ) -> PropertyDescription { relationship(name, keyPath, to: Other.self, .many, inverse, deleteRule, ordered) }

    private static func relationship(
        _ name: String,
        _ keyPath: AnyKeyPath,
        to destination: any Object.Type,
        _ cardinality: RelationshipDescription.Cardinality,
        _ inverse: AnyKeyPath?,
        _ deleteRule: DeleteRule,
        _ ordered: Bool
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
                    deleteRule: deleteRule
                )
            )
        )
    }
}
#endif
