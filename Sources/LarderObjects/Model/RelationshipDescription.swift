#if Objects
/// What happens to related objects when an object is deleted.
public enum DeleteRule: String, Sendable, Hashable, Codable {
    /// They lose the reference to it.
    case nullify
    /// They are deleted with it.
    case cascade
    /// It can't be deleted while there are any: the save throws and names the relationship.
    case deny
}

/// One relationship of an entity, as its class declares it.
package struct RelationshipDescription: @unchecked Sendable {
    // Sendable: all of it is constant; a key path that the macro writes captures nothing.
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

    var isToMany: Bool { cardinality == .many }
}
#endif
