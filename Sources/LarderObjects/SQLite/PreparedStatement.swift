#if Objects
internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// One statement on one connection, bound and stepped without GRDB's values between.
///
/// GRDB's own binding ends a text at its first U+0000; this does not.
final class PreparedStatement {
    let handle: OpaquePointer
    private let connection: OpaquePointer?

    /// Prepares `sql`.
    init(_ sql: String, on database: Database) throws {
        var handle: OpaquePointer?
        connection = database.sqliteConnection
        let result = sqlite3_prepare_v2(connection, sql, -1, &handle, nil)
        guard result == SQLITE_OK, let handle else { throw Self.error(result, connection, sql) }
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds a value; the first parameter is 1.
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
                        // A null pointer would bind NULL instead of the empty text.
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

    /// Binds values to the parameters 1, 2 and so on.
    func bind(_ values: [ColumnValue]) {
        for (index, value) in values.enumerated() { bind(value, at: index + 1) }
    }

    /// Goes to the next row.
    ///
    /// `false` when there is none; the statement can then be bound and run again.
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

    /// Runs a statement that has no rows, or whose rows nobody wants.
    func run() throws { while try step() {} }

    func integer(at column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

    /// The value of a column of the current row.
    func value(at column: Int) -> ColumnValue { Self.value(of: handle, at: column) }

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

    /// The current row's `count` columns from `first` on, in one block.
    func packedRow(from first: Int, count: Int) -> PackedRow {
        var payload = 0
        for column in first..<first + count {
            let type = sqlite3_column_type(handle, Int32(column))
            if type == SQLITE_TEXT || type == SQLITE_BLOB {
                payload += Int(sqlite3_column_bytes(handle, Int32(column)))
            }
        }
        let row = PackedRow.allocate(columns: count, payload: payload)
        row.withUnsafeMutablePointers { _, slots in
            let tags = UnsafeMutableRawPointer(slots + count)
            var end = count
            for place in 0..<count {
                let column = Int32(first + place)
                var tag = PackedRow.Tag.null
                slots[place] = 0
                switch sqlite3_column_type(handle, column) {
                case SQLITE_INTEGER:
                    tag = .integer
                    slots[place] = UInt64(bitPattern: sqlite3_column_int64(handle, column))
                case SQLITE_FLOAT:
                    tag = .real
                    slots[place] = sqlite3_column_double(handle, column).bitPattern
                case SQLITE_TEXT, SQLITE_BLOB:
                    let isText = sqlite3_column_type(handle, column) == SQLITE_TEXT
                    tag = isText ? .text : .blob
                    let start =
                        isText
                        ? sqlite3_column_text(handle, column).map { UnsafeRawPointer($0) }
                        : sqlite3_column_blob(handle, column)
                    let length = Int(sqlite3_column_bytes(handle, column))
                    if let start, length > 0 { (tags + end).copyMemory(from: start, byteCount: length) }
                    slots[place] = UInt64(end) << 32 | UInt64(length)
                    end += length
                default: break
                }
                tags.storeBytes(of: tag.rawValue, toByteOffset: place, as: UInt8.self)
            }
        }
        return row
    }

    private static func error(_ result: Int32, _ connection: OpaquePointer?, _ sql: String) -> DatabaseError {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? result
        let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: extended), message: message, sql: sql)
    }

    // SQLITE_TRANSIENT, a macro that Swift does not import: SQLite makes its own copy.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
#endif
