#if Objects
/// What an update does if an edited property was also changed by another writer.
public struct ConflictPolicy<Value>: Sendable {
    enum Kind: Sendable {
        case fail, mine, theirs
        case resolve(@Sendable (_ mine: Value, _ theirs: Value?, _ read: Value) throws -> Value?)
    }

    let kind: Kind

    /// Throws an ``ObjectError`` with code `conflict`.
    public static var fail: ConflictPolicy { ConflictPolicy(kind: .fail) }

    /// Writes the edited properties.
    ///
    /// If the object was deleted, the update throws an ``ObjectError`` with code `conflict`. The object is not inserted again.
    public static var mine: ConflictPolicy { ConflictPolicy(kind: .mine) }

    /// Keeps the stored values of properties in conflict, and writes the other edited properties.
    ///
    /// If the object was deleted, the update has no effect.
    public static var theirs: ConflictPolicy { ConflictPolicy(kind: .theirs) }

    /// Calls a closure for each object in conflict, and writes all properties of the struct that it returns.
    ///
    /// If the object was deleted, returning a struct is an error, because the object is not inserted again.
    ///
    /// - Parameter body: A closure that receives the edited struct, the stored struct, and the struct as it was read. The stored struct is
    ///   `nil` if the object was deleted. The closure returns the struct to store, or `nil` to keep what is stored. If it throws an error,
    ///   the update throws this error.
    /// - Returns: The policy.
    public static func resolve(
        _ body: @escaping @Sendable (_ mine: Value, _ theirs: Value?, _ read: Value) throws -> Value?
    ) -> ConflictPolicy {
        ConflictPolicy(kind: .resolve(body))
    }
}

/// An object that an update did not change, because another writer changed the same properties or deleted the object.
public struct ObjectConflict: Sendable, Hashable, CustomStringConvertible {
    /// The name of the object's entity.
    public let entityName: String
    /// The object's id, or `nil` if the object was not found by its key.
    public let objectID: ObjectID?
    /// The key that identifies the object, such as `orderID 17`.
    public let key: String
    /// The names of the attributes and relationships in conflict, or of all edited ones if the object was deleted.
    public let properties: Set<String>
    /// Whether the object was deleted.
    public let isDeleted: Bool

    /// The object's entity and key, and the properties in conflict.
    public var description: String {
        let names = properties.sorted().joined(separator: ", ")
        return isDeleted ? "\(entityName) with \(key): deleted" : "\(entityName) with \(key): \(names)"
    }
}
#endif
