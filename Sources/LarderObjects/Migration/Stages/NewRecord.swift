#if Objects
internal import Foundation

/// An object of the new schema version in a ``MigrationStage``, whose properties can be read and set by name.
///
/// Changes are written immediately. The subscripts can't throw. An unknown property, or a value that the attribute can't represent exactly,
/// makes the stage fail when the closure returns.
public struct NewRecord {
    private let rowID: Int64
    private let table: RecordTable
    private let migration: Migration

    init(_ rowID: Int64, _ table: RecordTable, _ migration: Migration) {
        self.rowID = rowID
        self.table = table
        self.migration = migration
    }

    /// The object's id, which a migrated object keeps in the new schema version.
    public var id: ObjectID { ObjectID(entityName: table.entity.name, rowID: rowID) }

    /// Reads or sets an attribute, such as `new["total"] = 5`.
    ///
    /// To set an attribute to `nil`, call ``clear(_:)``.
    ///
    /// - Parameter property: The attribute's name in the new version.
    /// - Returns: The value, or `nil` if the attribute has no value.
    public subscript<Value: ColumnConvertible>(_ property: String) -> Value? {
        get { migration.noting { try value(property) } }
        nonmutating set { store(newValue?.columnValue ?? .null, Value.columnFormat.name, property) }
    }

    /// Reads or sets an attribute of a raw-representable type, such as `new["state"] = State.placed`.
    ///
    /// - Parameter property: The attribute's name in the new version.
    /// - Returns: The value, or `nil` if the attribute has no value.
    public subscript<Value: RawRepresentable>(_ property: String) -> Value? where Value.RawValue: ColumnConvertible {
        get {
            migration.noting { try migration.value(try value(property) as Value.RawValue?, property, in: id) }
        }
        nonmutating set {
            store(newValue?.rawValue.columnValue ?? .null, Value.RawValue.columnFormat.name, property)
        }
    }

    /// Reads a to-one relationship, such as `new["customer"] as NewRecord?`.
    ///
    /// - Parameter relationship: The relationship's name in the new version.
    /// - Returns: The related object, or `nil` if there is none.
    public subscript(_ relationship: String) -> NewRecord? {
        migration.noting { try records(relationship).first }
    }

    /// Returns the objects that a relationship refers to.
    ///
    /// - Parameter relationship: The relationship's name in the new version.
    /// - Returns: The related objects in order, excluding objects that the stage deleted.
    /// - Throws: ``ObjectError`` if there is no such relationship or the read fails.
    public func records(_ relationship: String) throws -> [NewRecord] {
        let found = try table.relationship(relationship)
        let other = try migration.newTable(found.destination)
        return try migration.related(rowID, table, found).compactMap { try migration.newRecord($0, of: other) }
    }

    /// Decodes the value of an attribute that is stored as JSON.
    ///
    /// - Parameters:
    ///   - property: The attribute's name in the new version.
    ///   - type: The type to decode.
    /// - Returns: The value, or `nil` if the attribute has no value.
    /// - Throws: ``ObjectError`` if there is no such attribute or the value can't be decoded.
    public func decoded<Value: Decodable>(_ property: String, as type: Value.Type = Value.self) throws -> Value? {
        let column = try table.attribute(property).column
        return try migration.decoded(migration.stored(column, rowID, table), of: column, in: id)
    }

    /// Sets an attribute or a to-one relationship to `nil`.
    ///
    /// - Parameter property: The property's name in the new version.
    /// - Throws: ``ObjectError`` if there is no such property or the write fails.
    public func clear(_ property: String) throws {
        if table.entity.relationships.contains(where: { $0.name == property }) {
            try set(property, to: [])
        } else {
            try migration.store(.null, table.attribute(property).index, rowID, table)
        }
    }

    /// Sets a to-one relationship.
    ///
    /// - Parameters:
    ///   - relationship: The relationship's name in the new version.
    ///   - id: The id of the related object, or `nil` for none. A migrated object keeps its id.
    /// - Throws: ``ObjectError`` if there is no such relationship or the write fails.
    public func set(_ relationship: String, to id: ObjectID?) throws {
        try set(relationship, to: id.map { [$0] } ?? [])
    }

    /// Sets the related objects of a relationship.
    ///
    /// - Parameters:
    ///   - relationship: The relationship's name in the new version.
    ///   - ids: The ids of the related objects in order. A to-one relationship accepts at most one id.
    /// - Throws: ``ObjectError`` if there is no such relationship, an object to link does not exist, or the write fails. The check for
    ///   missing objects may run at the end of the migration.
    public func set(_ relationship: String, to ids: [ObjectID]) throws {
        try migration.link(rowID, table, try table.relationship(relationship), to: ids.map(\.rowID))
    }

    /// Sets an attribute that is stored as JSON.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - property: The attribute's name in the new version.
    /// - Throws: ``ObjectError`` if there is no such attribute, the value can't be encoded, or the write fails.
    public func encode(_ value: some Codable, as property: String) throws {
        try migration.store(Self.json(value), "json", in: property, rowID, table)
    }

    private static func json<Value: Codable>(_ value: Value) throws -> ColumnValue {
        try JSONCoding<Value>.stored(value)
    }

    /// Deletes the object when the stage ends, and applies the delete rules of its relationships.
    ///
    /// - Throws: ``ObjectError`` if the write fails.
    public func delete() throws { try migration.remove(rowID, table) }

    private func value<Value: ColumnConvertible>(_ property: String) throws -> Value? {
        let column = try table.attribute(property).column
        return try migration.value(migration.stored(column, rowID, table), of: column, in: id)
    }

    private func store(_ value: ColumnValue, _ format: String, _ property: String) {
        do { try migration.store(value, format, in: property, rowID, table) } catch { migration.note(error) }
    }
}
#endif
