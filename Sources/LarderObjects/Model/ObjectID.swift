#if Objects
/// An identifier of an object, valid for the lifetime of the database.
///
/// An object gets its permanent id on insertion, before it is saved. The id of a deleted object is never reused. An id can be sent to
/// another thread, stored, and captured in a predicate.
public struct ObjectID: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of the object's entity.
    public let entityName: String
    /// The primary key of the object's row.
    ///
    /// The key is unique in the entire database, not only in the entity's table.
    public let rowID: Int64

    /// Creates an id from an entity's name and a primary key.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - rowID: The primary key of the object's row.
    public init(entityName: String, rowID: Int64) {
        self.entityName = entityName
        self.rowID = rowID
    }

    /// The entity's name and the primary key, such as `Order/12`.
    public var description: String { "\(entityName)/\(rowID)" }
}
#endif
