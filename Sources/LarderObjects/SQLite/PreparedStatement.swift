#if Objects
internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// A prepared statement that bypasses GRDB's value types.
///
/// This type binds entire strings, whereas GRDB binds a string only up to its first U+0000.
final class PreparedStatement {
    let handle: OpaquePointer
    private let connection: OpaquePointer?
    /// The cached GRDB statement that provides the handle, or `nil` if this statement owns the handle.
    private let borrowed: Statement?

    /// Prepares the statement `sql` on a connection.
    init(_ sql: String, on database: Database) throws {
        var handle: OpaquePointer?
        connection = database.sqliteConnection
        let result = sqlite3_prepare_v2(connection, sql, -1, &handle, nil)
        guard result == SQLITE_OK, let handle else {
            let error = Self.error(result, connection, sql)
            throw Self.limit(error) ?? error
        }
        self.handle = handle
        borrowed = nil
    }

    /// Borrows a statement from the connection's cache, or returns `nil` if the cached statement is running.
    init?(borrowing statement: Statement, on database: Database) {
        guard sqlite3_stmt_busy(statement.sqliteStatement) == 0 else { return nil }
        connection = database.sqliteConnection
        handle = statement.sqliteStatement
        borrowed = statement
    }

    deinit {
        if borrowed == nil {
            sqlite3_finalize(handle)
        } else {
            // A statement that is not reset would keep its transaction open.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
    }

    /// Binds a value to a parameter.
    ///
    /// Parameter indexes start at 1.
    func bind(_ value: ColumnValue, at parameter: Int) {
        let parameter = Int32(parameter)
        switch value {
        case .null: sqlite3_bind_null(handle, parameter)
        case .integer(let integer): sqlite3_bind_int64(handle, parameter, integer)
        case .real(let real): sqlite3_bind_double(handle, parameter, real)
        case .text(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    if let start = characters.baseAddress, !characters.isEmpty {
                        _ = sqlite3_bind_text(handle, parameter, start, Int32(characters.count), Self.copied)
                    } else {
                        // With a null pointer, SQLite would bind NULL instead of the empty string.
                        _ = sqlite3_bind_text(handle, parameter, "", 0, Self.copied)
                    }
                }
            }
        case .blob(let data):
            _ = data.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress, !bytes.isEmpty {
                    sqlite3_bind_blob(handle, parameter, start, Int32(bytes.count), Self.copied)
                } else {
                    sqlite3_bind_zeroblob(handle, parameter, 0)
                }
            }
        }
    }

    /// Binds the bytes of a nonempty string to a parameter.
    ///
    /// Parameter indexes start at 1.
    func bind(text bytes: [UInt8], at parameter: Int) {
        bytes.withUnsafeBytes { bytes in
            let characters = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            _ = sqlite3_bind_text(handle, Int32(parameter), characters, Int32(bytes.count), Self.copied)
        }
    }

    /// Binds an integer to a parameter.
    ///
    /// Parameter indexes start at 1.
    func bind(_ integer: Int64, at parameter: Int) { sqlite3_bind_int64(handle, Int32(parameter), integer) }

    /// Binds a column of a packed row without copying the bytes.
    ///
    /// The caller must retain the row until another value is bound or ``release()`` is called.
    func bind(_ place: RowPlace, _ column: Int, at parameter: Int) {
        let parameter = Int32(parameter)
        let (tag, bytes) = place.row.content(of: column)
        switch tag {
        case .integer: sqlite3_bind_int64(handle, parameter, PackedRow.integer(bytes))
        case .real: sqlite3_bind_double(handle, parameter, PackedRow.real(bytes))
        case .text:
            let characters = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            sqlite3_bind_text(handle, parameter, characters, Int32(bytes.count), nil)
        case .blob:
            if bytes.isEmpty {
                sqlite3_bind_zeroblob(handle, parameter, 0)
            } else {
                sqlite3_bind_blob(handle, parameter, bytes.baseAddress, Int32(bytes.count), nil)
            }
        case .null, nil: sqlite3_bind_null(handle, parameter)
        }
    }

    /// Clears all bindings, so that the bound values can be freed.
    func release() { sqlite3_clear_bindings(handle) }

    /// Binds values to the first parameters, in order.
    func bind(_ values: [ColumnValue]) {
        for (index, value) in values.enumerated() { bind(value, at: index + 1) }
    }

    /// Advances to the next row.
    ///
    /// - Returns: `true` if there is a row, or `false` if there are no more rows. After `false`, the statement can be bound and run again.
    func step() throws -> Bool {
        let result = sqlite3_step(handle)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        default:
            let error = Self.error(result, connection, String(cString: sqlite3_sql(handle)))
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Resets the statement, even if it has more rows.
    func reset() { sqlite3_reset(handle) }

    /// Runs the statement to completion, ignoring any rows.
    func run() throws { while try step() {} }

    func integer(at column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

    /// Returns the value in a column of the current row.
    func value(at column: Int) -> ColumnValue { Self.value(of: handle, at: column) }

    /// Calls `body` with the bytes of a string in the current row.
    func withBytes<Result>(
        at column: Int,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        let start = sqlite3_column_text(handle, Int32(column))
        return try body(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }

    static func value(of handle: OpaquePointer, at column: Int) -> ColumnValue {
        let column = Int32(column)
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            let bytes = UnsafeBufferPointer(
                start: sqlite3_column_text(handle, column),
                count: Int(sqlite3_column_bytes(handle, column))
            )
            return .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(handle, column)
            return .blob(
                Data(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
            )
        default: return .null
        }
    }

    /// Packs `count` columns of the current row, starting at the column `first`.
    ///
    /// - Returns: The location of the packed row.
    func pack(_ packer: inout RowPacker, from first: Int, count: Int) -> RowPlace {
        packer.begin()
        for column in Int32(first)..<Int32(first + count) {
            // This is faster than `sqlite3_column_...`. The values are unprotected in SQLite's terms, so only the thread that uses the
            // connection may read them. `sqlite3_value_blob` returns a string without copying it to append a zero.
            let value = sqlite3_column_value(handle, column)
            switch sqlite3_value_type(value) {
            case SQLITE_INTEGER: packer.add(sqlite3_value_int64(value))
            case SQLITE_FLOAT: packer.add(sqlite3_value_double(value))
            case SQLITE_TEXT: packer.add(.text, Self.bytes(value))
            case SQLITE_BLOB: packer.add(.blob, Self.bytes(value))
            default: packer.addNull()
            }
        }
        return packer.finishRow()
    }

    /// Returns the bytes of a string or a blob, which are valid until the statement is stepped or reset.
    static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    /// Converts a SQLite error to ``ObjectError`` if the query exceeded a limit of SQLite, or returns `nil` for other errors.
    private static func limit(_ error: DatabaseError) -> ObjectError? {
        let message = error.message ?? ""
        guard
            error.resultCode == .SQLITE_TOOBIG || message.hasPrefix("parser stack overflow")
                || message.hasPrefix("Expression tree is too large") || message.hasPrefix("too many SQL variables")
        else { return nil }
        return SQLTranslator.unsupported(
            "a query that exceeds a limit of SQLite (\(message))",
            "Split the filter, or nest it less deeply"
        )
    }

    private static func error(_ result: Int32, _ connection: OpaquePointer?, _ sql: String) -> DatabaseError {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? result
        let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: extended), message: message, sql: sql)
    }

    // This is SQLITE_TRANSIENT, a macro that Swift does not import. It makes SQLite copy the bytes.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
#endif
