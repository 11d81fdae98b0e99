/// What an inspected instance keeps.
public struct InspectionRole: Sendable, Hashable, RawRepresentable {
    /// The name of the role, such as "store".
    public let rawValue: String
    /// Creates a role with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Values under keys.
    public static let store = InspectionRole(rawValue: "store")
    /// Objects with relationships.
    public static let objects = InspectionRole(rawValue: "objects")
    /// A data source or repository, which may read from other places.
    public static let dataSource = InspectionRole(rawValue: "dataSource")
    /// Writes that wait to be sent elsewhere.
    public static let outbox = InspectionRole(rawValue: "outbox")
    /// The replication of a store among machines.
    public static let replication = InspectionRole(rawValue: "replication")
    /// Typed keys that a program declares.
    public static let typedKeys = InspectionRole(rawValue: "typedKeys")
}

/// A table of an inspected instance: the entries of a store, or the objects of an entity.
public struct InspectionTable: Sendable, Hashable {
    /// The name of the table, which is unique in its instance.
    public var name: String
    /// The number of records, or `nil` if counting them would take long.
    public var count: Int?
    /// The columns, in display order.
    ///
    /// A record has one value for each.
    public var columns: [InspectionColumn]
    /// The relationships of the records to records of this and other tables.
    public var relationships: [InspectionRelationship]
    /// The indexes.
    public var indexes: [InspectionIndex]
    /// The number of bytes that the table occupies, or `nil` if that is unknown.
    public var bytes: Int?
    /// What precedes each key in the store that keeps the records, such as "secrets." in a view of the keys with this prefix.
    ///
    /// Tools that mask values by their keys join both, because the key "mail" alone does not look like the name of a secret.
    public var keyPrefix: String

    /// Creates a table.
    public init(
        name: String,
        count: Int? = nil,
        columns: [InspectionColumn],
        relationships: [InspectionRelationship] = [],
        indexes: [InspectionIndex] = [],
        bytes: Int? = nil,
        keyPrefix: String = ""
    ) {
        self.name = name
        self.count = count
        self.keyPrefix = keyPrefix
        self.columns = columns
        self.relationships = relationships
        self.indexes = indexes
        self.bytes = bytes
    }
}

/// A column of an inspected table.
public struct InspectionColumn: Sendable, Hashable {
    /// The name, which is unique in its table.
    public var name: String
    /// The type for display, such as "Date?".
    public var type: String
    /// Whether an ``InspectionQuery/order`` may name this column.
    public var isSortable: Bool

    /// Creates a column.
    public init(_ name: String, type: String, isSortable: Bool = false) {
        self.name = name
        self.type = type
        self.isSortable = isSortable
    }
}

/// A relationship of the records of an inspected table.
public struct InspectionRelationship: Sendable, Hashable {
    /// The name, which is unique in its table.
    public var name: String
    /// The name of the table of the related records.
    public var destination: String
    /// Whether a record may have several related records.
    public var isToMany: Bool
    /// Whether the related records have an order.
    public var isOrdered: Bool
    /// The name of the inverse relationship of the destination, or `nil` if there is none.
    public var inverse: String?
    /// What happens to the related records when a record is deleted, such as "cascade".
    public var deletionRule: String?

    /// Creates a relationship.
    public init(
        _ name: String,
        destination: String,
        isToMany: Bool,
        isOrdered: Bool = false,
        inverse: String? = nil,
        deletionRule: String? = nil
    ) {
        self.name = name
        self.destination = destination
        self.isToMany = isToMany
        self.isOrdered = isOrdered
        self.inverse = inverse
        self.deletionRule = deletionRule
    }
}

/// An index of an inspected table.
public struct InspectionIndex: Sendable, Hashable {
    /// The name of the index.
    public var name: String
    /// The names of the columns in the order of the index.
    public var columns: [String]
    /// Whether no two records may have the same values in the columns.
    public var isUnique: Bool
    /// The number of bytes that the index occupies, or `nil` if that is unknown.
    public var bytes: Int?

    /// Creates an index.
    public init(_ name: String, columns: [String], isUnique: Bool, bytes: Int? = nil) {
        self.name = name
        self.columns = columns
        self.isUnique = isUnique
        self.bytes = bytes
    }
}
