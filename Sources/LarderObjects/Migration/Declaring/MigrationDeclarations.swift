#if Objects
/// The migration declarations of one model version, which describe how to migrate from earlier versions.
///
/// The declarations are not part of the model's fingerprint.
struct MigrationDeclarations: Sendable, Hashable {
    /// The declarations of entities, by name, without entities that declare nothing.
    var entities: [String: EntityDeclarations] = [:]
    /// The latest names of the removed entities whose objects a migration may delete.
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
    /// The latest names of the removed properties whose values a migration may delete.
    var dropping: [String] = []
    /// The object to keep when several objects violate a new unique constraint on several properties.
    var keeping: KeptObject?
    /// The declarations of attributes, by name, without attributes that declare nothing.
    var attributes: [String: AttributeDeclarations] = [:]
    /// The declarations of relationships, by name, without relationships that declare nothing.
    var relationships: [String: RelationshipDeclarations] = [:]

    var isEmpty: Bool { self == EntityDeclarations() }
}

/// The migration declarations of one attribute.
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

/// The migration declarations of one relationship.
struct RelationshipDeclarations: Sendable, Hashable, Codable {
    /// The related object to keep when a to-many relationship becomes to-one.
    var keeping: KeptObject?

    var isEmpty: Bool { keeping == nil }
}

/// A default that a model declares, in its stored form.
enum DefaultValue: Sendable, Hashable {
    /// A value that is the same for all objects.
    case constant(ColumnValue)
    /// A default that differs from call to call, such as `UUID()`.
    ///
    /// Only a program that contains the model can evaluate this default.
    case perRow
    /// A default that can't be stored, with the reason.
    case unstorable(String)
}
#endif
