#if Objects
extension FixedWidthInteger where Self: ColumnConvertible & SignedInteger {
    /// The integer.
    @inlinable public var columnValue: ColumnValue { .integer(Int64(self)) }
    /// The integer, if it fits the type.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
    @inlinable public static func fromColumn(_ column: ColumnValue) -> Self? {
        guard case .integer(let value) = column else { return nil }
        return Self(exactly: value)
    }
    /// The integer in a column of a row that is being read, if it fits the type.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The place of the column.
    /// - Returns: The value.
    @inlinable public static func fromRow(_ row: ObjectRow, _ column: Int) -> Self? {
        row.integer(column).flatMap { Self(exactly: $0) }
    }
}

extension FixedWidthInteger where Self: ColumnConvertible & UnsignedInteger {
    /// The integer; beyond `Int64.max` as text of twenty digits, which SQLite sorts after every number.
    public var columnValue: ColumnValue {
        if let value = Int64(exactly: self) { return .integer(value) }
        let digits = String(self)
        return .text(String(repeating: "0", count: Swift.max(0, 20 - digits.utf8.count)) + digits)
    }
    /// The integer, if it fits the type.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
    public static func fromColumn(_ column: ColumnValue) -> Self? {
        switch column {
        case .integer(let value): Self(exactly: value)
        case .text(let digits): Self(digits)
        default: nil
        }
    }
}

extension FixedWidthInteger where Self: ColumnConvertible {
    /// Zero.
    public static var placeholder: Self { 0 }
}

extension Int: ColumnConvertible {
    /// An integer of 64 bits.
    public static var columnFormat: AttributeFormat { AttributeFormat("int64", columnType: "INTEGER") }
}
extension Int64: ColumnConvertible {
    /// An integer of 64 bits.
    public static var columnFormat: AttributeFormat { AttributeFormat("int64", columnType: "INTEGER") }
}
extension Int32: ColumnConvertible {
    /// An integer of 32 bits.
    public static var columnFormat: AttributeFormat { AttributeFormat("int32", columnType: "INTEGER") }
}
extension Int16: ColumnConvertible {
    /// An integer of 16 bits.
    public static var columnFormat: AttributeFormat { AttributeFormat("int16", columnType: "INTEGER") }
}
extension Int8: ColumnConvertible {
    /// An integer of 8 bits.
    public static var columnFormat: AttributeFormat { AttributeFormat("int8", columnType: "INTEGER") }
}
extension UInt: ColumnConvertible {
    /// An unsigned integer of 64 bits.
    public static var columnFormat: AttributeFormat { AttributeFormat("uint64", columnType: "ANY") }
}
extension UInt64: ColumnConvertible {
    /// An unsigned integer of 64 bits.
    public static var columnFormat: AttributeFormat { AttributeFormat("uint64", columnType: "ANY") }
}
extension UInt32: ColumnConvertible {
    /// An unsigned integer of 32 bits.
    public static var columnFormat: AttributeFormat { AttributeFormat("uint32", columnType: "INTEGER") }
}
extension UInt16: ColumnConvertible {
    /// An unsigned integer of 16 bits.
    public static var columnFormat: AttributeFormat { AttributeFormat("uint16", columnType: "INTEGER") }
}
extension UInt8: ColumnConvertible {
    /// An unsigned integer of 8 bits.
    public static var columnFormat: AttributeFormat { AttributeFormat("uint8", columnType: "INTEGER") }
}

extension Double: ColumnConvertible {
    /// A floating-point number.
    public static var columnFormat: AttributeFormat { AttributeFormat("double", columnType: "REAL") }
    /// Zero.
    public static var placeholder: Double { 0 }
    /// The number; nothing for NaN, which a save refuses.
    @inlinable public var columnValue: ColumnValue { isNaN ? .null : .real(self) }
    /// The number in a column of a row that is being read.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The place of the column.
    /// - Returns: The value.
    @inlinable public static func fromRow(_ row: ObjectRow, _ column: Int) -> Double? { row.real(column) }
    /// The number.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
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
    /// A floating-point number of 32 bits, stored as one of 64.
    public static var columnFormat: AttributeFormat { AttributeFormat("float", columnType: "REAL") }
    /// Zero.
    public static var placeholder: Float { 0 }
    /// The number; nothing for NaN, which a save refuses.
    public var columnValue: ColumnValue { isNaN ? .null : .real(Double(self)) }
    /// The number.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
    public static func fromColumn(_ column: ColumnValue) -> Float? { Double.fromColumn(column).map(Float.init) }
}

extension Bool: ColumnConvertible {
    /// 0 or 1.
    public static var columnFormat: AttributeFormat { AttributeFormat("bool", columnType: "INTEGER") }
    /// Always `false`.
    public static var placeholder: Bool { false }
    /// 0 or 1.
    @inlinable public var columnValue: ColumnValue { .integer(self ? 1 : 0) }
    /// `false` for 0, `true` for 1, in a column of a row that is being read.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The place of the column.
    /// - Returns: The value.
    @inlinable public static func fromRow(_ row: ObjectRow, _ column: Int) -> Bool? {
        switch row.integer(column) {
        case 0?: false
        case 1?: true
        default: nil
        }
    }
    /// `false` for 0, `true` for 1.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
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
