#if Objects
/// The effect of deleting an object on its related objects.
public enum DeleteRule: String, Sendable, Hashable, Codable {
    /// The related objects are kept, but no longer refer to the deleted object.
    case nullify
    /// The related objects are deleted as well.
    case cascade
    /// An object with related objects can't be deleted.
    ///
    /// The save throws an error that names the relationship.
    case deny
}

package struct RelationshipDescription: @unchecked Sendable {
    // `@unchecked Sendable` is safe because every property is constant, and the key paths that the macro generates capture nothing.
    package enum Cardinality: String, Sendable {
        case optionalOne, requiredOne, many
    }

    package let name: String
    package let keyPath: AnyKeyPath
    package let destination: any Object.Type
    package let cardinality: Cardinality
    let isOrdered: Bool
    let inverse: AnyKeyPath?
    let deleteRule: DeleteRule
    /// The names that the relationship had in earlier versions, oldest first.
    let formerNames: [String]
    /// Which related object to keep when a migration makes a to-many relationship to-one.
    let keeping: KeptObject?

    var isToMany: Bool { cardinality == .many }
}
#endif
