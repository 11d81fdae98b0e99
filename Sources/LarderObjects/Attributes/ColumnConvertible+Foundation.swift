#if Objects
public import Foundation

extension String: ColumnConvertible {
    /// The column format for strings in Unicode normalization form C (NFC).
    public static var columnFormat: AttributeFormat { AttributeFormat("string", columnType: "TEXT") }
    /// The empty string, the initial value of a property that has no default.
    public static var placeholder: String { "" }
    /// The string in NFC, so that strings that are equal in Swift are also equal in SQL.
    @inlinable public var columnValue: ColumnValue { .text(composed) }
    /// Reads a string from the query's current row.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - column: The index of the column.
    /// - Returns: The string, or `nil` if the column does not contain a string.
    @inlinable public static func fromRow(_ row: ObjectRow, _ column: Int) -> String? { row.text(column) }
    /// Creates a string from a column value.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The string, or `nil` if the column value is not a string.
    @inlinable public static func fromColumn(_ column: ColumnValue) -> String? {
        if case .text(let value) = column { value } else { nil }
    }

    /// The string in NFC.
    ///
    /// A string whose Unicode scalars are all below U+0300 is returned unchanged.
    @usableFromInline var composed: String {
        var text = self
        let isComposed = text.withUTF8 { bytes in
            var highest: UInt8 = 0
            for byte in bytes { highest = max(highest, byte) }
            return highest < 0xCC
        }
        return isComposed ? self : precomposedStringWithCanonicalMapping
    }
}

extension Data: ColumnConvertible {
    /// The column format for blobs.
    public static var columnFormat: AttributeFormat { AttributeFormat("data", columnType: "BLOB") }
    /// Empty data, the initial value of a property that has no default.
    public static var placeholder: Data { Data() }
    /// The bytes as a blob.
    public var columnValue: ColumnValue { .blob(self) }
    /// Creates data from a column value.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The data, or `nil` if the column value is not a blob.
    public static func fromColumn(_ column: ColumnValue) -> Data? {
        if case .blob(let value) = column { value } else { nil }
    }
}

extension Date: ColumnConvertible {
    /// The column format for dates, which are stored as 64-bit floating-point numbers of seconds since January 1, 2001.
    public static var columnFormat: AttributeFormat { AttributeFormat("date", columnType: "REAL") }
    /// January 1, 2001, the initial value of a property that has no default.
    public static var placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// The number of seconds since January 1, 2001, or NULL if the number is NaN.
    ///
    /// Saving NaN throws an error.
    @inlinable public var columnValue: ColumnValue { timeIntervalSinceReferenceDate.columnValue }
    /// Reads a date from the query's current row.
    ///
    /// - Parameters:
    ///   - row: The current row.
    ///   - column: The index of the column.
    /// - Returns: The date, or `nil` if the column does not hold a number.
    @inlinable public static func fromRow(_ row: ObjectRow, _ column: Int) -> Date? {
        Double.fromRow(row, column).map(Date.init(timeIntervalSinceReferenceDate:))
    }
    /// Creates a date from a column value.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The date, or `nil` if the column value is not a number.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Date? {
        Double.fromColumn(column).map(Date.init(timeIntervalSinceReferenceDate:))
    }
}

extension UUID: ColumnConvertible {
    /// The column format for 16-byte blobs.
    public static var columnFormat: AttributeFormat { AttributeFormat("uuid", columnType: "BLOB") }
    /// The UUID with all bits zero, the initial value of a property that has no default.
    public static var placeholder: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    /// The 16 bytes of the UUID as a blob.
    public var columnValue: ColumnValue { .blob(withUnsafeBytes(of: uuid) { Data($0) }) }
    /// Creates a UUID from a column value.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The UUID, or `nil` if the column value is not a blob of 16 bytes.
    public static func fromColumn(_ column: ColumnValue) -> UUID? {
        guard case .blob(let data) = column, data.count == 16 else { return nil }
        var bytes = placeholder.uuid
        withUnsafeMutableBytes(of: &bytes) { _ = data.copyBytes(to: $0) }
        return UUID(uuid: bytes)
    }
}

extension URL: ColumnConvertible {
    /// The column format for absolute URL strings.
    public static var columnFormat: AttributeFormat { AttributeFormat("url", columnType: "TEXT") }
    /// The URL `about:blank`, the initial value of a property that has no default.
    public static var placeholder: URL { URL(string: "about:blank") ?? URL(fileURLWithPath: "/") }
    /// The URL's absolute string in NFC.
    public var columnValue: ColumnValue { .text(absoluteString.composed) }
    /// Creates a URL from its absolute string.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The URL, or `nil` if the column value is not a valid URL string.
    public static func fromColumn(_ column: ColumnValue) -> URL? {
        if case .text(let value) = column { URL(string: value) } else { nil }
    }
}
#endif
