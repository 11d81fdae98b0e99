#if Objects
extension FixedWidthInteger where Self: ColumnConvertible & SignedInteger {
    /// The number as a 64-bit integer.
    @inlinable public var columnValue: ColumnValue { .integer(Int64(self)) }
    /// Creates an integer from a column value.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The integer, or `nil` if the column value is not an integer or does not fit in the type.
    @inlinable public static func fromColumn(_ column: ColumnValue) -> Self? {
        guard case .integer(let value) = column else { return nil }
        return Self(exactly: value)
    }
    /// Reads an integer from the query's current row.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - column: The index of the column.
    /// - Returns: The integer, or `nil` if the column does not hold an integer or the integer does not fit in the type.
    @inlinable public static func fromRow(_ row: ObjectRow, _ column: Int) -> Self? {
        row.integer(column).flatMap { Self(exactly: $0) }
    }
}

extension FixedWidthInteger where Self: ColumnConvertible & UnsignedInteger {
    /// The number as a 64-bit integer, or as a string if the number is above `Int64.max`.
    ///
    /// The string has 20 digits, and SQLite sorts it after all integers.
    public var columnValue: ColumnValue {
        if let value = Int64(exactly: self) { return .integer(value) }
        let digits = String(self)
        return .text(String(repeating: "0", count: Swift.max(0, 20 - digits.utf8.count)) + digits)
    }
    /// Creates an integer from a column value.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The integer, or `nil` if the column value is not an integer or does not fit in the type.
    public static func fromColumn(_ column: ColumnValue) -> Self? {
        switch column {
        case .integer(let value): Self(exactly: value)
        case .text(let digits): Self(digits)
        default: nil
        }
    }
}

extension FixedWidthInteger where Self: ColumnConvertible {
    /// Zero, the initial value of a property that has no default.
    public static var placeholder: Self { 0 }
}

extension Int: ColumnConvertible {
    /// The column format for signed 64-bit integers.
    public static var columnFormat: AttributeFormat { AttributeFormat("int64", columnType: "INTEGER") }
}
extension Int64: ColumnConvertible {
    /// The column format for signed 64-bit integers.
    public static var columnFormat: AttributeFormat { AttributeFormat("int64", columnType: "INTEGER") }
}
extension Int32: ColumnConvertible {
    /// The column format for signed 32-bit integers.
    public static var columnFormat: AttributeFormat { AttributeFormat("int32", columnType: "INTEGER") }
}
extension Int16: ColumnConvertible {
    /// The column format for signed 16-bit integers.
    public static var columnFormat: AttributeFormat { AttributeFormat("int16", columnType: "INTEGER") }
}
extension Int8: ColumnConvertible {
    /// The column format for signed 8-bit integers.
    public static var columnFormat: AttributeFormat { AttributeFormat("int8", columnType: "INTEGER") }
}
extension UInt: ColumnConvertible {
    /// The column format for unsigned 64-bit integers.
    public static var columnFormat: AttributeFormat { AttributeFormat("uint64", columnType: "ANY") }
}
extension UInt64: ColumnConvertible {
    /// The column format for unsigned 64-bit integers.
    public static var columnFormat: AttributeFormat { AttributeFormat("uint64", columnType: "ANY") }
}
extension UInt32: ColumnConvertible {
    /// The column format for unsigned 32-bit integers.
    public static var columnFormat: AttributeFormat { AttributeFormat("uint32", columnType: "INTEGER") }
}
extension UInt16: ColumnConvertible {
    /// The column format for unsigned 16-bit integers.
    public static var columnFormat: AttributeFormat { AttributeFormat("uint16", columnType: "INTEGER") }
}
extension UInt8: ColumnConvertible {
    /// The column format for unsigned 8-bit integers.
    public static var columnFormat: AttributeFormat { AttributeFormat("uint8", columnType: "INTEGER") }
}

extension Double: ColumnConvertible {
    /// The column format for 64-bit floating-point numbers.
    public static var columnFormat: AttributeFormat { AttributeFormat("double", columnType: "REAL") }
    /// Zero, the initial value of a property that has no default.
    public static var placeholder: Double { 0 }
    /// The number, or NULL if it is NaN.
    ///
    /// Saving NaN throws an error.
    @inlinable public var columnValue: ColumnValue { isNaN ? .null : .real(self) }
    /// Reads a number from the query's current row.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - column: The index of the column.
    /// - Returns: The number, or `nil` if the column does not contain a number.
    @inlinable public static func fromRow(_ row: ObjectRow, _ column: Int) -> Double? { row.real(column) }
    /// Creates a number from a column value.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The number, or `nil` if the column value is not a number.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Double? {
        switch column {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
}

extension Float: ColumnConvertible {
    /// The column format for 32-bit floating-point numbers, which are stored with 64 bits.
    public static var columnFormat: AttributeFormat { AttributeFormat("float", columnType: "REAL") }
    /// Zero, the initial value of a property that has no default.
    public static var placeholder: Float { 0 }
    /// The number, or NULL if it is NaN.
    ///
    /// Saving NaN throws an error.
    public var columnValue: ColumnValue { isNaN ? .null : .real(Double(self)) }
    /// Creates a number from a column value.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The number, or `nil` if the column value is not a number.
    public static func fromColumn(_ column: ColumnValue) -> Float? { Double.fromColumn(column).map(Float.init) }
}

extension Bool: ColumnConvertible {
    /// The column format for Booleans, which are stored as the integers 0 and 1.
    public static var columnFormat: AttributeFormat { AttributeFormat("bool", columnType: "INTEGER") }
    /// `false`, the initial value of a property that has no default.
    public static var placeholder: Bool { false }
    /// The integer 0 for `false`, or 1 for `true`.
    @inlinable public var columnValue: ColumnValue { .integer(self ? 1 : 0) }
    /// Reads a Boolean from the query's current row.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - column: The index of the column.
    /// - Returns: `false` for 0, `true` for 1, otherwise `nil`.
    @inlinable public static func fromRow(_ row: ObjectRow, _ column: Int) -> Bool? {
        switch row.integer(column) {
        case 0?: false
        case 1?: true
        default: nil
        }
    }
    /// Creates a Boolean from a column value.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: `false` for 0, `true` for 1, otherwise `nil`.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Bool? {
        switch column {
        case .integer(0): false
        case .integer(1): true
        default: nil
        }
    }
}
#endif
