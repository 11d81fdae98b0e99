#if Objects
internal import Foundation
internal import GRDBSQLite

extension PreparedStatement {
    /// Returns the value in a column of the current row, of which a long string or blob is cut.
    ///
    /// The SQL function `substr` would end a string at U+0000.
    ///
    /// - Parameters:
    ///   - column: The index of the column.
    ///   - limit: The maximum number of bytes of a string or a blob, or `nil` for whole values. A string is cut before the Unicode scalar that
    ///     would exceed the number.
    /// - Returns: The value, and the number of its bytes before it was cut. A number or NULL has 8 bytes.
    func value(at column: Int, cutTo limit: Int?) -> (value: ColumnValue, size: Int) {
        let place = Int32(column)
        let type = sqlite3_column_type(handle, place)
        guard type == SQLITE_TEXT || type == SQLITE_BLOB else { return (value(at: column), 8) }
        // The pointer must be read before the size, which is that of the converted value.
        let start: UnsafeRawPointer? =
            if type == SQLITE_TEXT {
                UnsafeRawPointer(sqlite3_column_text(handle, place))
            } else {
                sqlite3_column_blob(handle, place)
            }
        let size = Int(sqlite3_column_bytes(handle, place))
        let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : size)
        let end = min(bytes.count, max(0, limit ?? .max))
        let shown = type == SQLITE_TEXT ? Self.scalarStart(bytes, end) : end
        let beginning = UnsafeRawBufferPointer(rebasing: bytes[..<shown])
        return (type == SQLITE_TEXT ? .text(String(decoding: beginning, as: UTF8.self)) : .blob(Data(beginning)), size)
    }

    /// Returns the last offset up to `end` at which a UTF-8 sequence begins or the string ends.
    private static func scalarStart(_ bytes: UnsafeRawBufferPointer, _ end: Int) -> Int {
        guard end < bytes.count else { return end }
        var place = end
        // Bytes that are not UTF-8 have no beginning nearby.
        while place > 0, place > end - 4, bytes[place] & 0xC0 == 0x80 { place -= 1 }
        return place
    }
}
#endif
