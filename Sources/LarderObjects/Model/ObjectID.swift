#if Objects
/// Which object, for as long as the database exists.
///
/// An object has its final id from the moment it is inserted, before any save, and the id of a deleted object is never
/// given to another. It is a plain value: send it anywhere, store it, capture it in a predicate.
public struct ObjectID: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of the entity.
    public let entityName: String
    /// The primary key of its row.
    ///
    /// Unique in the whole database, not only among objects of one entity.
    public let rowID: Int64

    /// The id of the object in a given row.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - rowID: The primary key of its row.
    public init(entityName: String, rowID: Int64) {
        self.entityName = entityName
        self.rowID = rowID
    }

    /// Such as `Order/12`.
    public var description: String { "\(entityName)/\(rowID)" }
}
#endif
