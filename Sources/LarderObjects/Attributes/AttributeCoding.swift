#if Objects
internal import LarderCore

/// How values of one type are stored in a column.
///
/// Storing a value and reading it again gives an equal value, and stored forms compare as the values do.
public protocol AttributeCoding: SendableMetatype {
    /// The type of the property.
    associatedtype Value
    /// Whether `nil` is a value.
    static var isOptional: Bool { get }
    /// What the column holds, as the schema names it.
    static var format: AttributeFormat { get }
    /// The stored form of a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: Its stored form; ``ColumnValue/null`` for a value that can't be stored, which a save refuses.
    static func encode(_ value: Value) -> ColumnValue
    /// Why a value has no stored form.
    ///
    /// - Parameter value: A value that is not `nil`, and for which ``encode(_:)`` gave nothing.
    /// - Returns: The error, if there is more to say than that the value can't be stored.
    static func encodingError(of value: Value) -> (any Error)?
    /// The value that is stored.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value, or `nil` when the column holds none of this type.
    static func decode(_ column: ColumnValue) -> Value?
    /// Why a stored form is none of this type.
    ///
    /// - Parameter column: A stored form for which ``decode(_:)`` gave nothing.
    /// - Returns: The error, if there is more to say than that it is none.
    static func decodingError(of column: ColumnValue) -> (any Error)?
    /// The value in a column of a row that is being read, without a ``ColumnValue`` between.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The place of the column.
    /// - Returns: The value, or `nil` when the column holds none of this type.
    static func decode(_ row: ObjectRow, _ column: Int) -> Value?
    /// Whether a value is `nil`.
    ///
    /// - Parameter value: The value.
    /// - Returns: Whether it is.
    static func isNil(_ value: Value) -> Bool
}

extension AttributeCoding {
    /// The value in a column of a row that is being read.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The place of the column.
    /// - Returns: The value, or `nil` when the column holds none of this type.
    @inlinable
    public static func decode(_ row: ObjectRow, _ column: Int) -> Value? { decode(row.columnValue(column)) }

    /// Whether a value is `nil`.
    ///
    /// - Parameter value: The value.
    /// - Returns: Whether it is.
    public static func isNil(_ value: Value) -> Bool { (value as? any OptionalType)?.isNil ?? false }

    /// Nothing more to say.
    ///
    /// - Parameter value: The value.
    /// - Returns: Always `nil`.
    public static func encodingError(of value: Value) -> (any Error)? { nil }

    /// Nothing more to say.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: Always `nil`.
    public static func decodingError(of column: ColumnValue) -> (any Error)? { nil }

    /// The stored form of a value.
    ///
    /// - Throws: ``UnstorableValue`` when it has none.
    @usableFromInline static func stored(_ value: Value) throws -> ColumnValue {
        let stored = encode(value)
        if stored.isNull, !isNil(value) { throw UnstorableValue(cause: encodingError(of: value)) }
        return stored
    }
}

/// A value that was set where the earlier one could not be read, by somebody who took the default for it.
struct UnreadValue: Error {
    let cause: (any Error)?

    /// What is wrong with it, and what to do.
    var problem: String {
        "was set by who had read its default for what is stored, which does not convert\(ErrorCause.suffix(cause)): "
            + "set it without reading it to replace that, or change the type back"
    }
}

/// A value that was given to a property, and that has no stored form.
struct UnstorableValue: Error {
    let cause: (any Error)?

    /// What is wrong with it, and what to do.
    var problem: String {
        guard let cause else { return "a value that can't be stored, such as NaN: give it another" }
        return "a value that can't be stored (\(ErrorCause.text(cause))): give it another, or mend how it encodes"
    }
}

/// What a column holds, as the schema names it.
///
/// A column of one format is never read as another.
public struct AttributeFormat: Sendable, Hashable, Codable {
    /// The name in the schema, such as `date`.
    public let name: String
    /// The type that SQLite checks: `INTEGER`, `REAL`, `TEXT`, `BLOB` or `ANY`.
    public let columnType: String

    /// A format.
    ///
    /// - Parameters:
    ///   - name: The name in the schema.
    ///   - columnType: The type that SQLite checks.
    public init(_ name: String, columnType: String) {
        self.name = name
        self.columnType = columnType
    }
}

/// A type that a column holds as it is.
public protocol ColumnConvertible: SendableMetatype {
    /// Whether `nil` is a value of the type.
    static var isOptionalColumn: Bool { get }
    /// What the column holds.
    static var columnFormat: AttributeFormat { get }
    /// What a property without a default reads as until it is set.
    static var placeholder: Self { get }
    /// The stored form.
    var columnValue: ColumnValue { get }
    /// The value that is stored.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value, or `nil` when the column holds none of this type.
    static func fromColumn(_ column: ColumnValue) -> Self?
    /// The value in a column of a row that is being read.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The place of the column.
    /// - Returns: The value, or `nil` when the column holds none of this type.
    static func fromRow(_ row: ObjectRow, _ column: Int) -> Self?
    /// Whether it is `nil`.
    var isNilColumn: Bool { get }
}

extension ColumnConvertible {
    /// `false`; only optionals have `nil`.
    @inlinable public static var isOptionalColumn: Bool { false }
    /// `false`; only optionals have `nil`.
    @inlinable public var isNilColumn: Bool { false }
    /// The value in a column of a row that is being read.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The place of the column.
    /// - Returns: The value, or `nil` when the column holds none of this type.
    @inlinable
    public static func fromRow(_ row: ObjectRow, _ column: Int) -> Self? { fromColumn(row.columnValue(column)) }
}

extension Optional: ColumnConvertible where Wrapped: ColumnConvertible {
    /// Always `true`.
    @inlinable public static var isOptionalColumn: Bool { true }
    /// Whether it holds nothing.
    @inlinable public var isNilColumn: Bool { self == nil }
    /// What it holds in a column of a row that is being read, or `nil` for a column that holds nothing.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The place of the column.
    /// - Returns: The value; the outer `nil` when the column holds another type.
    @inlinable
    public static func fromRow(_ row: ObjectRow, _ column: Int) -> Wrapped?? {
        if row.isNull(column) { return .some(nil) }
        return Wrapped.fromRow(row, column).map { .some($0) } ?? nil
    }
    /// What the column of the wrapped type holds.
    public static var columnFormat: AttributeFormat { Wrapped.columnFormat }
    /// Always `nil`.
    public static var placeholder: Wrapped? { nil }
    /// The stored form of what it holds; nothing for `nil`.
    @inlinable public var columnValue: ColumnValue { self?.columnValue ?? .null }
    /// What it holds, or `nil` for a column that holds nothing.
    ///
    /// The outer `nil` says that the column holds another type.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Wrapped?? {
        if case .null = column { return .some(nil) }
        return Wrapped.fromColumn(column).map { .some($0) } ?? nil
    }
}

/// The coding of a type that a column holds as it is.
public enum DirectCoding<Value: ColumnConvertible>: AttributeCoding {
    /// Whether `nil` is a value.
    public static var isOptional: Bool { Value.isOptionalColumn }
    /// What the column holds.
    public static var format: AttributeFormat { Value.columnFormat }
    /// The stored form of a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: Its stored form.
    @inlinable
    public static func encode(_ value: Value) -> ColumnValue { value.columnValue }
    /// The value that is stored.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
    @inlinable
    public static func decode(_ column: ColumnValue) -> Value? { Value.fromColumn(column) }
    /// The value in a column of a row that is being read.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The place of the column.
    /// - Returns: The value, or `nil` when the column holds none of this type.
    @inlinable
    public static func decode(_ row: ObjectRow, _ column: Int) -> Value? { Value.fromRow(row, column) }
    /// Whether a value is `nil`.
    ///
    /// - Parameter value: The value.
    /// - Returns: Whether it is.
    @inlinable
    public static func isNil(_ value: Value) -> Bool { value.isNilColumn }
}

/// The coding of an enum, or anything else with a raw value that a column holds.
public enum RawValueCoding<Value: RawRepresentable>: AttributeCoding where Value.RawValue: ColumnConvertible {
    /// Always `false`.
    public static var isOptional: Bool { false }
    /// What the column of the raw value holds.
    public static var format: AttributeFormat { Value.RawValue.columnFormat }
    /// The stored form of the raw value.
    ///
    /// - Parameter value: The value.
    /// - Returns: Its stored form.
    public static func encode(_ value: Value) -> ColumnValue { value.rawValue.columnValue }
    /// The value with the raw value that is stored.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value, or `nil` when there is none with that raw value.
    public static func decode(_ column: ColumnValue) -> Value? {
        Value.RawValue.fromColumn(column).flatMap(Value.init(rawValue:))
    }
}

/// The coding of an optional of something with a raw value.
public enum OptionalRawValueCoding<Wrapped: RawRepresentable>: AttributeCoding
where Wrapped.RawValue: ColumnConvertible {
    /// The optional.
    public typealias Value = Wrapped?
    /// Always `true`.
    public static var isOptional: Bool { true }
    /// What the column of the raw value holds.
    public static var format: AttributeFormat { Wrapped.RawValue.columnFormat }
    /// The stored form of the raw value; nothing for `nil`.
    ///
    /// - Parameter value: The value.
    /// - Returns: Its stored form.
    public static func encode(_ value: Wrapped?) -> ColumnValue { value?.rawValue.columnValue ?? .null }
    /// The value with the raw value that is stored.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value; the outer `nil` when there is none with that raw value.
    public static func decode(_ column: ColumnValue) -> Wrapped?? {
        if case .null = column { return .some(nil) }
        return RawValueCoding<Wrapped>.decode(column).map { .some($0) } ?? nil
    }
}

/// Chooses the coding of a property's type; for the code that the macro writes.
public enum AttributeCodings {
    /// A type that a column holds as it is.
    ///
    /// - Parameter type: The type of the property.
    /// - Returns: Its coding.
    public static func of<Value: ColumnConvertible>(_ type: Value.Type) -> DirectCoding<Value>.Type {
        DirectCoding<Value>.self
    }

    /// A type with a raw value.
    ///
    /// - Parameter type: The type of the property.
    /// - Returns: Its coding.
    public static func of<Value: RawRepresentable>(_ type: Value.Type) -> RawValueCoding<Value>.Type
    where Value.RawValue: ColumnConvertible {
        RawValueCoding<Value>.self
    }

    /// An optional of a type with a raw value.
    ///
    /// - Parameter type: The type of the property.
    /// - Returns: Its coding.
    public static func of<Wrapped: RawRepresentable>(_ type: Wrapped?.Type) -> OptionalRawValueCoding<Wrapped>.Type
    where Wrapped.RawValue: ColumnConvertible {
        OptionalRawValueCoding<Wrapped>.self
    }

    /// Any other `Codable` type, as JSON.
    ///
    /// - Parameter type: The type of the property.
    /// - Returns: Its coding.
    @_disfavoredOverload
    public static func of<Value: Codable>(_ type: Value.Type) -> JSONCoding<Value>.Type { JSONCoding<Value>.self }
}
#endif
