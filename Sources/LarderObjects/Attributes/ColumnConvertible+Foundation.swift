#if Objects
public import Foundation

extension String: ColumnConvertible {
    /// Text in Unicode's composed normal form.
    public static var columnFormat: AttributeFormat { AttributeFormat("string", columnType: "TEXT") }
    /// The empty text.
    public static var placeholder: String { "" }
    /// The text in Unicode's composed normal form, so that texts that are equal in Swift are equal in SQL.
    @inlinable public var columnValue: ColumnValue { .text(composed) }
    /// The text in a column of a row that is being read.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The place of the column.
    /// - Returns: The value.
    @inlinable public static func fromRow(_ row: ObjectRow, _ column: Int) -> String? { row.text(column) }
    /// The text.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
    @inlinable public static func fromColumn(_ column: ColumnValue) -> String? {
        if case .text(let value) = column { value } else { nil }
    }

    /// Itself where nothing in it can have another form, which is so for all scalars below U+0300.
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
    /// Bytes.
    public static var columnFormat: AttributeFormat { AttributeFormat("data", columnType: "BLOB") }
    /// No bytes.
    public static var placeholder: Data { Data() }
    /// The bytes.
    public var columnValue: ColumnValue { .blob(self) }
    /// The bytes.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
    public static func fromColumn(_ column: ColumnValue) -> Data? {
        if case .blob(let value) = column { value } else { nil }
    }
}

extension Date: ColumnConvertible {
    /// The seconds since 1 January 2001, all 64 bits of them.
    public static var columnFormat: AttributeFormat { AttributeFormat("date", columnType: "REAL") }
    /// 1 January 2001.
    public static var placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// The seconds since 1 January 2001; nothing for NaN, which a save refuses.
    @inlinable public var columnValue: ColumnValue { timeIntervalSinceReferenceDate.columnValue }
    /// The date in a column of a row that is being read.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - column: The place of the column.
    /// - Returns: The value.
    @inlinable public static func fromRow(_ row: ObjectRow, _ column: Int) -> Date? {
        Double.fromRow(row, column).map(Date.init(timeIntervalSinceReferenceDate:))
    }
    /// The date.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
    @inlinable
    public static func fromColumn(_ column: ColumnValue) -> Date? {
        Double.fromColumn(column).map(Date.init(timeIntervalSinceReferenceDate:))
    }
}

extension UUID: ColumnConvertible {
    /// Sixteen bytes.
    public static var columnFormat: AttributeFormat { AttributeFormat("uuid", columnType: "BLOB") }
    /// All zeros.
    public static var placeholder: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    /// Its sixteen bytes.
    public var columnValue: ColumnValue { .blob(withUnsafeBytes(of: uuid) { Data($0) }) }
    /// The value of sixteen bytes.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
    public static func fromColumn(_ column: ColumnValue) -> UUID? {
        guard case .blob(let data) = column, data.count == 16 else { return nil }
        var bytes = placeholder.uuid
        withUnsafeMutableBytes(of: &bytes) { _ = data.copyBytes(to: $0) }
        return UUID(uuid: bytes)
    }
}

extension URL: ColumnConvertible {
    /// The absolute text.
    public static var columnFormat: AttributeFormat { AttributeFormat("url", columnType: "TEXT") }
    /// Always `about:blank`.
    public static var placeholder: URL { URL(string: "about:blank") ?? URL(fileURLWithPath: "/") }
    /// Its absolute text.
    public var columnValue: ColumnValue { .text(absoluteString.composed) }
    /// The URL.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value.
    public static func fromColumn(_ column: ColumnValue) -> URL? {
        if case .text(let value) = column { URL(string: value) } else { nil }
    }
}
#endif
