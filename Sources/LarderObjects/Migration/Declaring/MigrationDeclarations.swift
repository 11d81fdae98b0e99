#if Objects
/// What one version of a model declares about migrating from earlier versions, in addition to its schema.
///
/// The declarations are not part of the model's fingerprint.
struct MigrationDeclarations: Sendable, Hashable {
    /// The declarations of each entity by its name, omitting entities that declare nothing.
    var entities: [String: EntityDeclarations] = [:]
    /// The most recent names of entities that earlier versions had and whose objects a migration may delete.
    var dropped: [String] = []

    var isEmpty: Bool { entities.isEmpty && dropped.isEmpty }

    func attribute(_ name: String, of entity: String) -> AttributeDeclarations {
        entities[entity]?.attributes[name] ?? AttributeDeclarations()
    }

    func relationship(_ name: String, of entity: String) -> RelationshipDeclarations {
        entities[entity]?.relationships[name] ?? RelationshipDeclarations()
    }
}

/// What one entity declares about migrating from earlier versions.
struct EntityDeclarations: Sendable, Hashable {
    /// The most recent names of properties that earlier versions had and whose values a migration may delete.
    var dropping: [String] = []
    /// The object to keep when several objects violate a new unique constraint on several properties.
    var keeping: KeptObject?
    /// The declarations of each attribute by its name, omitting attributes that declare nothing.
    var attributes: [String: AttributeDeclarations] = [:]
    /// The declarations of each relationship by its name, omitting relationships that declare nothing.
    var relationships: [String: RelationshipDeclarations] = [:]

    var isEmpty: Bool { self == EntityDeclarations() }
}

/// What one attribute declares about migrating from earlier versions.
struct AttributeDeclarations: Sendable, Hashable {
    /// The value of a new attribute in existing objects, or `nil` if it has no default.
    var initial: DefaultValue?
    /// The replacement for `nil` in a required attribute, and for values that can't be converted to the new type.
    var replacement: DefaultValue?
    /// Whether a value that the new type can't represent exactly may be replaced with the nearest value that it can represent.
    var isInexact = false
    /// The object to keep when several objects violate a new unique constraint on this attribute.
    var keeping: KeptObject?

    var isEmpty: Bool { self == AttributeDeclarations() }
}

/// What one relationship declares about migrating from earlier versions.
struct RelationshipDeclarations: Sendable, Hashable, Codable {
    /// The related object to keep when a to-many relationship becomes to-one.
    var keeping: KeptObject?

    var isEmpty: Bool { keeping == nil }
}

/// A default that a model declares, in its stored form.
enum DefaultValue: Sendable, Hashable {
    /// The default is the same value for all objects.
    case constant(ColumnValue)
    /// The default differs from call to call, such as `UUID()`. Only the program that contains the model can create it.
    case perRow
    /// The default can't be stored, for the reason given.
    case unstorable(String)
}
#endif
