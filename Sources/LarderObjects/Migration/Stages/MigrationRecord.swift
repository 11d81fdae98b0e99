#if Objects
internal import Foundation

/// An object of the old model version in a ``MigrationStage``, with properties that can be read by name.
///
/// The subscripts can't throw. An unknown property, or a value that the type can't represent exactly, makes the stage fail when the closure
/// returns. To throw the error immediately, use `value(_:as:)` instead.
public struct MigrationRecord {
    private let row: RecordRow
    private let migration: Migration

    init(_ row: RecordRow, _ migration: Migration) {
        self.row = row
        self.migration = migration
    }

    /// The object's id, which is the same in the old and the new model version.
    public var id: ObjectID { ObjectID(entityName: row.table.entity.name, rowID: row.id) }

    /// Reads an attribute, such as `old["total"] as Decimal?`.
    ///
    /// - Parameter property: The attribute's name in the old version.
    /// - Returns: The value, or `nil` if the attribute has no value.
    public subscript<Value: ColumnConvertible>(_ property: String) -> Value? {
        migration.noting { try value(property) }
    }

    /// Reads an attribute as a raw-representable type, such as `old["state"] as State?`.
    ///
    /// - Parameter property: The attribute's name in the old version.
    /// - Returns: The value, or `nil` if the attribute has no value.
    public subscript<Value: RawRepresentable>(_ property: String) -> Value? where Value.RawValue: ColumnConvertible {
        migration.noting { try value(property) }
    }

    /// Reads a to-one relationship, such as `old["customer"] as MigrationRecord?`.
    ///
    /// - Parameter relationship: The relationship's name in the old version.
    /// - Returns: The related object, or `nil` if there is none.
    public subscript(_ relationship: String) -> MigrationRecord? {
        migration.noting { try records(relationship).first }
    }

    /// Returns the related objects of a relationship.
    ///
    /// - Parameter relationship: The relationship's name in the old version.
    /// - Returns: The related objects in order. The objects of an unordered relationship are in id order.
    /// - Throws: ``ObjectError`` if there is no such relationship or the read fails.
    public func records(_ relationship: String) throws -> [MigrationRecord] {
        let found = try row.table.relationship(relationship)
        let other = try migration.oldTable(found.destination)
        return try migration.related(row.id, row.table, found).compactMap { id in
            try migration.row(id, of: other).map { MigrationRecord($0, migration) }
        }
    }

    /// Returns the value of an attribute.
    ///
    /// - Parameters:
    ///   - property: The attribute's name in the old version.
    ///   - type: The type of the returned value.
    /// - Returns: The value, or `nil` if the attribute has no value.
    /// - Throws: ``ObjectError`` with code `invalidModel` if there is no such attribute, or `notConvertible` if the type can't represent
    ///   the value exactly.
    public func value<Value: ColumnConvertible>(_ property: String, as type: Value.Type = Value.self) throws -> Value? {
        let (index, column) = try row.table.attribute(property)
        return try migration.value(row.place.row.value(at: index), of: column, in: id)
    }

    /// Returns the value of an attribute as a raw-representable type.
    ///
    /// - Parameters:
    ///   - property: The attribute's name in the old version.
    ///   - type: The type of the returned value.
    /// - Returns: The value, or `nil` if the attribute has no value.
    /// - Throws: ``ObjectError`` with code `invalidModel` if there is no such attribute, or `notConvertible` if the type has no such value.
    public func value<Value: RawRepresentable>(_ property: String, as type: Value.Type = Value.self) throws -> Value?
    where Value.RawValue: ColumnConvertible {
        try migration.value(try value(property, as: Value.RawValue.self), property, in: id)
    }

    /// Decodes the value of an attribute that is stored as JSON.
    ///
    /// - Parameters:
    ///   - property: The attribute's name in the old version.
    ///   - type: The type to decode.
    /// - Returns: The value, or `nil` if the attribute has no value.
    /// - Throws: ``ObjectError`` with code `invalidModel` if there is no such attribute, or `notConvertible` if the value can't be decoded.
    public func decoded<Value: Decodable>(_ property: String, as type: Value.Type = Value.self) throws -> Value? {
        let (index, column) = try row.table.attribute(property)
        return try migration.decoded(row.place.row.value(at: index), of: column, in: id)
    }
}

extension Migration {
    /// Runs `body`, and records any error, so that the stage fails.
    func noting<Value>(_ body: () throws -> Value?) -> Value? {
        do { return try body() } catch {
            note(error)
            return nil
        }
    }

    /// Converts a stored value to a type, or returns `nil` for NULL.
    ///
    /// - Throws: ``ObjectError`` with code `notConvertible` if the type can't represent the value exactly.
    func value<Value: ColumnConvertible>(
        _ stored: ColumnValue,
        of column: SchemaDescription.Column,
        in id: ObjectID
    ) throws -> Value? {
        if stored.isNull { return nil }
        let format = Value.columnFormat.name
        if format == column.format {
            if let value = Value.fromColumn(stored) { return value }
        } else if case .exact(let converted) = conversion(from: column.format, to: format).convert(stored),
            let value = Value.fromColumn(converted)
        {
            return value
        }
        throw Self.unreadable(column.name, "\(Value.self)", in: id)
    }

    /// Creates a value from a raw value, or returns `nil` if the raw value is `nil`.
    ///
    /// - Throws: ``ObjectError`` with code `notConvertible` if the type has no value with this raw value.
    func value<Value: RawRepresentable>(_ raw: Value.RawValue?, _ property: String, in id: ObjectID) throws -> Value? {
        guard let raw else { return nil }
        if let value = Value(rawValue: raw) { return value }
        throw Self.unreadable(property, "\(Value.self)", in: id)
    }

    /// Decodes a value that is stored as JSON, or returns `nil` for NULL.
    ///
    /// - Throws: ``ObjectError`` with code `notConvertible` if the value can't be decoded.
    func decoded<Value: Decodable>(
        _ stored: ColumnValue,
        of column: SchemaDescription.Column,
        in id: ObjectID
    ) throws -> Value? {
        if stored.isNull { return nil }
        guard column.format == "json", case .text(let text) = stored else {
            throw Self.unreadable(column.name, "\(Value.self)", in: id)
        }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        do { return try decoder.decode(Value.self, from: Data(text.utf8)) } catch {
            throw Self.unreadable(column.name, "\(Value.self)", in: id, error)
        }
    }

    private static func unreadable(
        _ property: String,
        _ type: String,
        in id: ObjectID,
        _ cause: (any Error)? = nil
    ) -> ObjectError {
        ObjectError(
            .notConvertible,
            "The value of \(id).\(property) can't be read as \(type). Read it as another type.",
            underlying: cause
        )
    }
}
#endif
