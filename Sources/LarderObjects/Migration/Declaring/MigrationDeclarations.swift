#if Objects
/// A model's declarations that control migrations from earlier versions.
///
/// The declarations are not part of the model's fingerprint.
struct MigrationDeclarations: Sendable, Hashable {
    /// The declarations of entities, keyed by entity name.
    ///
    /// Entities without declarations are omitted.
    var entities: [String: EntityDeclarations] = [:]
    /// The names of removed entities whose objects a migration may delete.
    ///
    /// For a renamed entity, the latest name is listed.
    var dropped: [String] = []

    var isEmpty: Bool { entities.isEmpty && dropped.isEmpty }

    func attribute(_ name: String, of entity: String) -> AttributeDeclarations {
        entities[entity]?.attributes[name] ?? AttributeDeclarations()
    }

    func relationship(_ name: String, of entity: String) -> RelationshipDeclarations {
        entities[entity]?.relationships[name] ?? RelationshipDeclarations()
    }
}

/// The migration declarations of one entity.
struct EntityDeclarations: Sendable, Hashable {
    /// The names of removed properties whose values a migration may delete.
    ///
    /// For a renamed property, the latest name is listed.
    var dropping: [String] = []
    /// The object to keep if several objects violate a new unique constraint on multiple properties.
    var keeping: KeptObject?
    /// The declarations of attributes, keyed by attribute name.
    ///
    /// Attributes without declarations are omitted.
    var attributes: [String: AttributeDeclarations] = [:]
    /// The declarations of relationships, keyed by relationship name.
    ///
    /// Relationships without declarations are omitted.
    var relationships: [String: RelationshipDeclarations] = [:]

    var isEmpty: Bool { self == EntityDeclarations() }
}

/// The migration declarations of one attribute.
struct AttributeDeclarations: Sendable, Hashable {
    /// The value that existing objects receive for a new attribute, or `nil` if the attribute has no default.
    var initial: DefaultValue?
    /// The replacement for `nil` in a required attribute, and for values that can't be converted to the new type.
    var replacement: DefaultValue?
    /// Whether a migration may round values to the nearest value that the new type can represent.
    var isInexact = false
    /// The object to keep if several objects violate a new unique constraint on this attribute.
    var keeping: KeptObject?

    var isEmpty: Bool { self == AttributeDeclarations() }
}

/// The migration declarations of one relationship.
struct RelationshipDeclarations: Sendable, Hashable, Codable {
    /// The related object to keep when a to-many relationship becomes to-one.
    var keeping: KeptObject?

    var isEmpty: Bool { keeping == nil }
}

/// A default value that a model declares.
enum DefaultValue: Sendable, Hashable {
    /// A constant default value, in its stored form.
    case constant(ColumnValue)
    /// A default value that must be evaluated for each object, such as `UUID()`.
    ///
    /// Only the program that declares the model can evaluate the default value.
    case perRow
    /// A default value that can't be stored.
    ///
    /// The associated value describes the reason.
    case unstorable(String)
}
#endif
