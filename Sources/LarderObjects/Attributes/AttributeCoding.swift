#if Objects
internal import LarderCore

/// A type that converts the values of a property to and from their stored forms in a database column.
///
/// Decoding an encoded value must return an equal value, and the stored forms must sort in the same order as the values.
public protocol AttributeCoding: SendableMetatype {
    /// The type of the property's values.
    associatedtype Value
    /// Whether `nil` is a valid value of the property.
    static var isOptional: Bool { get }
    /// The format of the column, as recorded in the schema.
    static var format: AttributeFormat { get }
    /// Encodes a value for storage in its column.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: The stored form, or ``ColumnValue/null`` if the value can't be stored. Saving an object with such a value throws an
    ///   error.
    static func encode(_ value: Value) -> ColumnValue
    /// Returns the error that explains why a value can't be encoded.
    ///
    /// - Parameter value: A value that is not `nil` and that ``encode(_:)`` encodes as ``ColumnValue/null``.
    /// - Returns: The error, or `nil` if no specific error is available.
    static func encodingError(of value: Value) -> (any Error)?
    /// Creates a value from its stored form.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value, or `nil` if the stored form can't be decoded.
    static func decode(_ column: ColumnValue) -> Value?
    /// Returns the error that explains why a stored form can't be decoded.
    ///
    /// - Parameter column: A stored form for which ``decode(_:)`` returns `nil`.
    /// - Returns: The error, or `nil` if no specific error is available.
    static func decodingError(of column: ColumnValue) -> (any Error)?
    /// Decodes one column of the query's current row without creating a ``ColumnValue``.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - column: The index of the column.
    /// - Returns: The value, or `nil` if the column can't be decoded.
    static func decode(_ row: ObjectRow, _ column: Int) -> Value?
    /// Returns whether a value is `nil`.
    ///
    /// - Parameter value: The value to check.
    /// - Returns: `true` if the value is an optional without a wrapped value.
    static func isNil(_ value: Value) -> Bool
}

extension AttributeCoding {
    /// Decodes one column of the query's current row.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - column: The index of the column.
    /// - Returns: The value, or `nil` if the column can't be decoded.
    @inlinable
    public static func decode(_ row: ObjectRow, _ column: Int) -> Value? { decode(row.columnValue(column)) }

    /// Returns whether a value is `nil`.
    ///
    /// - Parameter value: The value to check.
    /// - Returns: `true` if the value is an optional without a wrapped value.
    public static func isNil(_ value: Value) -> Bool { (value as? any OptionalType)?.isNil ?? false }

    /// Returns `nil`, the default for types without specific encoding errors.
    ///
    /// - Parameter value: A value that can't be encoded.
    /// - Returns: Always `nil`.
    public static func encodingError(of value: Value) -> (any Error)? { nil }

    /// Returns `nil`, the default for types without specific decoding errors.
    ///
    /// - Parameter column: A stored form that can't be decoded.
    /// - Returns: Always `nil`.
    public static func decodingError(of column: ColumnValue) -> (any Error)? { nil }

    /// Encodes a value, and throws an error if encoding fails.
    ///
    /// - Throws: ``UnstorableValue`` if the value is not `nil` and can't be encoded.
    @usableFromInline static func stored(_ value: Value) throws -> ColumnValue {
        let stored = encode(value)
        if stored.isNull, !isNil(value) { throw UnstorableValue(cause: encodingError(of: value)) }
        return stored
    }
}

/// The error for saving a property that was set after its stored value could not be decoded and was read as the default.
struct UnreadValue: Error {
    let cause: (any Error)?

    /// The part of the error message that follows the property's name.
    var problem: String {
        "was set after its stored value could not be decoded and its default was read instead\(ErrorCause.suffix(cause)). "
            + "To replace the stored value, set the property without reading it first. Otherwise, restore the property's former type"
    }
}

/// The error for setting a property to a value that can't be encoded.
struct UnstorableValue: Error {
    let cause: (any Error)?

    /// The part of the error message that follows the property's name.
    var problem: String {
        guard let cause else { return "a value that can't be stored, such as NaN. Set another value" }
        return "a value that can't be stored (\(ErrorCause.text(cause))). Set another value, or fix its encoding"
    }
}

/// The format of a column, as recorded in the schema.
public struct AttributeFormat: Sendable, Hashable, Codable {
    /// The format's name in the schema, such as `date`.
    public let name: String
    /// The column type that SQLite enforces: `INTEGER`, `REAL`, `TEXT`, `BLOB` or `ANY`.
    public let columnType: String

    /// Creates a column format.
    ///
    /// - Parameters:
    ///   - name: The format's name in the schema.
    ///   - columnType: The column type that SQLite enforces.
    public init(_ name: String, columnType: String) {
        self.name = name
        self.columnType = columnType
    }
}

/// A type whose values convert directly to and from column values.
public protocol ColumnConvertible: SendableMetatype {
    /// Whether columns of this type may contain NULL.
    static var isOptionalColumn: Bool { get }
    /// The format of the columns that store values of this type.
    static var columnFormat: AttributeFormat { get }
    /// The initial value of a property that has no default.
    static var placeholder: Self { get }
    /// The stored form of the value.
    var columnValue: ColumnValue { get }
    /// Creates a value from its stored form.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value, or `nil` if the stored form can't be decoded.
    static func fromColumn(_ column: ColumnValue) -> Self?
    /// Decodes one column of the query's current row.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - column: The index of the column.
    /// - Returns: The value, or `nil` if the column can't be decoded.
    static func fromRow(_ row: ObjectRow, _ column: Int) -> Self?
    /// Whether the value is `nil`.
    var isNilColumn: Bool { get }
}

extension ColumnConvertible {
    /// Always `false`, because only optionals can be `nil`.
    @inlinable public static var isOptionalColumn: Bool { false }
    /// Always `false`, because only optionals can be `nil`.
    @inlinable public var isNilColumn: Bool { false }
    /// Decodes one column of the query's current row.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - column: The index of the column.
    /// - Returns: The value, or `nil` if the column can't be decoded.
    @inlinable
    public static func fromRow(_ row: ObjectRow, _ column: Int) -> Self? { fromColumn(row.columnValue(column)) }
}

extension Optional: ColumnConvertible where Wrapped: ColumnConvertible {
    /// Always `true`, because the type is an optional.
    @inlinable public static var isOptionalColumn: Bool { true }
    /// Whether the optional is `nil`.
    @inlinable public var isNilColumn: Bool { self == nil }
    /// Decodes one column of the query's current row.
    ///
    /// NULL is decoded as `.some(nil)`.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - column: The index of the column.
    /// - Returns: The decoded optional, or an outer `nil` if the column can't be decoded.
    @inlinable
    public static func fromRow(_ row: ObjectRow, _ column: Int) -> Wrapped?? {
        if row.isNull(column) { return .some(nil) }
        return Wrapped.fromRow(row, column).map { .some($0) } ?? nil
    }
    /// The column format of the wrapped type.
    public static var columnFormat: AttributeFormat { Wrapped.columnFormat }
    /// `nil`, the initial value of an optional property.
    public static var placeholder: Wrapped? { nil }
    /// The stored form of the wrapped value, or NULL if the optional is `nil`.
    @inlinable public var columnValue: ColumnValue { self?.columnValue ?? .null }
    /// Creates an optional from its stored form.
    ///
    /// NULL is decoded as `.some(nil)`.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The decoded optional, or an outer `nil` if the stored form can't be decoded.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Wrapped?? {
        if case .null = column { return .some(nil) }
        return Wrapped.fromColumn(column).map { .some($0) } ?? nil
    }
}

/// A coding that stores values of a ``ColumnConvertible`` type in the type's own column format.
public enum DirectCoding<Value: ColumnConvertible>: AttributeCoding {
    /// Whether `Value` is an optional.
    public static var isOptional: Bool { Value.isOptionalColumn }
    /// The column format of `Value`.
    public static var format: AttributeFormat { Value.columnFormat }
    /// Encodes a value for storage in its column.
    ///
    /// - Parameter value: The value.
    /// - Returns: The stored form of `value`.
    @inlinable
    public static func encode(_ value: Value) -> ColumnValue { value.columnValue }
    /// Creates a value from its stored form.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value, or `nil` if the stored form can't be decoded.
    @inlinable
    public static func decode(_ column: ColumnValue) -> Value? { Value.fromColumn(column) }
    /// Decodes one column of the query's current row.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - column: The index of the column.
    /// - Returns: The value, or `nil` if the column can't be decoded.
    @inlinable
    public static func decode(_ row: ObjectRow, _ column: Int) -> Value? { Value.fromRow(row, column) }
    /// Returns whether a value is `nil`.
    ///
    /// - Parameter value: The value to check.
    /// - Returns: `true` if the value is an optional without a wrapped value.
    @inlinable
    public static func isNil(_ value: Value) -> Bool { value.isNilColumn }
}

/// A coding that stores enumerations and other raw-representable values as their raw values.
public enum RawValueCoding<Value: RawRepresentable>: AttributeCoding where Value.RawValue: ColumnConvertible {
    /// Always `false`, because `Value` is not an optional.
    public static var isOptional: Bool { false }
    /// The column format of the raw value.
    public static var format: AttributeFormat { Value.RawValue.columnFormat }
    /// Encodes the raw value of `value`.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: The stored form of the raw value.
    public static func encode(_ value: Value) -> ColumnValue { value.rawValue.columnValue }
    /// Creates a value from its stored raw value.
    ///
    /// - Parameter column: The stored form of the raw value.
    /// - Returns: The value, or `nil` if the type has no value with that raw value.
    public static func decode(_ column: ColumnValue) -> Value? {
        Value.RawValue.fromColumn(column).flatMap(Value.init(rawValue:))
    }
}

/// A coding that stores optional enumerations and other optional raw-representable values as their raw values.
public enum OptionalRawValueCoding<Wrapped: RawRepresentable>: AttributeCoding
where Wrapped.RawValue: ColumnConvertible {
    /// The type of the property, which is an optional.
    public typealias Value = Wrapped?
    /// Always `true`, because `Value` is an optional.
    public static var isOptional: Bool { true }
    /// The column format of the raw value.
    public static var format: AttributeFormat { Wrapped.RawValue.columnFormat }
    /// Encodes the raw value of an optional.
    ///
    /// - Parameter value: The optional to encode.
    /// - Returns: The stored form of the raw value, or NULL if `value` is `nil`.
    public static func encode(_ value: Wrapped?) -> ColumnValue { value?.rawValue.columnValue ?? .null }
    /// Creates an optional from its stored raw value.
    ///
    /// NULL is decoded as `.some(nil)`.
    ///
    /// - Parameter column: The stored form of the raw value.
    /// - Returns: The decoded optional, or an outer `nil` if the type has no value with the stored raw value.
    public static func decode(_ column: ColumnValue) -> Wrapped?? {
        if case .null = column { return .some(nil) }
        return RawValueCoding<Wrapped>.decode(column).map { .some($0) } ?? nil
    }
}

/// Functions that select the coding for a property's type.
///
/// The code that the `@Entity` macro generates calls these functions.
public enum AttributeCodings {
    /// Returns the coding for a ``ColumnConvertible`` type.
    ///
    /// - Parameter type: The property's type.
    /// - Returns: The coding that stores values in the type's own column format.
    public static func of<Value: ColumnConvertible>(_ type: Value.Type) -> DirectCoding<Value>.Type {
        DirectCoding<Value>.self
    }

    /// Returns the coding for a type with a raw value.
    ///
    /// - Parameter type: The property's type.
    /// - Returns: The coding that stores the raw value.
    public static func of<Value: RawRepresentable>(_ type: Value.Type) -> RawValueCoding<Value>.Type
    where Value.RawValue: ColumnConvertible {
        RawValueCoding<Value>.self
    }

    /// Returns the coding for an optional type with a raw value.
    ///
    /// - Parameter type: The property's type.
    /// - Returns: The coding that stores the raw value or NULL.
    public static func of<Wrapped: RawRepresentable>(_ type: Wrapped?.Type) -> OptionalRawValueCoding<Wrapped>.Type
    where Wrapped.RawValue: ColumnConvertible {
        OptionalRawValueCoding<Wrapped>.self
    }

    /// Returns the JSON coding for a `Codable` type that has no other coding.
    ///
    /// - Parameter type: The property's type.
    /// - Returns: The coding that stores JSON.
    @_disfavoredOverload
    public static func of<Value: Codable>(_ type: Value.Type) -> JSONCoding<Value>.Type { JSONCoding<Value>.self }
}
#endif
