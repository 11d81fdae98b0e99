#if Objects
internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// SQL functions that compare and convert strings in the same way as Swift.
enum SQLFunctions {
    typealias Function =
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    static func register(on database: Database) throws {
        try add("larder_contains", 2, database) { context, _, arguments in
            // Fast path for ASCII strings, which can be compared bytewise.
            if let answer = SQLFunctions.containsASCII(arguments?[0], arguments?[1]) {
                return sqlite3_result_int(context, answer ? 1 : 0)
            }
            SQLFunctions.compare(context, arguments) { $0.containsCharacters(of: $1) }
        }
        try add("larder_contains_folded", 2, database) { context, _, arguments in
            SQLFunctions.compare(context, arguments) { $0.containsFolded($1) }
        }
        try add("larder_starts", 2, database) { context, _, arguments in
            SQLFunctions.compare(context, arguments) { $0.starts(with: $1) }
        }
        try add("larder_ends", 2, database) { context, _, arguments in
            SQLFunctions.compare(context, arguments) { $0.hasSuffix($1) }
        }
        try add("larder_count", 1, database) { context, _, arguments in
            guard let text = SQLFunctions.text(arguments?[0]) else { return sqlite3_result_null(context) }
            sqlite3_result_int64(context, Int64(text.count))
        }
        try add("larder_fold", 1, database) { context, _, arguments in
            SQLFunctions.map(context, arguments) { $0.caseFolded }
        }
        try add("larder_folded", 1, database) { context, _, arguments in
            SQLFunctions.map(context, arguments) { $0.searchFolded }
        }
        try add("larder_like", 3, database) { context, _, arguments in
            guard let text = SQLFunctions.text(arguments?[0]), let written = SQLFunctions.text(arguments?[1]) else {
                return sqlite3_result_null(context)
            }
            let ignoresCase = arguments.map { sqlite3_value_int($0[2]) != 0 } ?? false
            let pattern: LikePattern
            // SQLite keeps the compiled pattern of a constant argument for the next row.
            if let known = sqlite3_get_auxdata(context, 1) {
                pattern = Unmanaged<LikePattern>.fromOpaque(known).takeUnretainedValue()
            } else {
                pattern = LikePattern(written, caseInsensitive: ignoresCase)
                sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(pattern).toOpaque()) { known in
                    if let known { Unmanaged<LikePattern>.fromOpaque(known).release() }
                }
            }
            sqlite3_result_int(context, pattern.matches(text) ? 1 : 0)
        }
        try add("larder_compare", 3, database) { context, _, arguments in
            guard let first = SQLFunctions.text(arguments?[0]), let second = SQLFunctions.text(arguments?[1]),
                let rule = TextComparisonRule(rawValue: arguments.map { Int(sqlite3_value_int($0[2])) } ?? 0)
            else { return sqlite3_result_null(context) }
            sqlite3_result_int(context, Int32(rule.compare(first, second).rawValue))
        }
        try add("larder_divide", 2, database) { context, _, arguments in
            guard let arguments, sqlite3_value_type(arguments[0]) != SQLITE_NULL,
                sqlite3_value_type(arguments[1]) != SQLITE_NULL
            else { return sqlite3_result_null(context) }
            sqlite3_result_double(context, sqlite3_value_double(arguments[0]) / sqlite3_value_double(arguments[1]))
        }
        try registerConversion(on: database)
        try registerSearch(on: database)
    }

    static func add(_ name: String, _ count: Int32, _ database: Database, _ function: Function) throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let result = sqlite3_create_function_v2(
            database.sqliteConnection,
            name,
            count,
            flags,
            nil,
            function,
            nil,
            nil,
            nil
        )
        guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    }

    static func text(_ value: OpaquePointer?) -> String? {
        guard let value, sqlite3_value_type(value) != SQLITE_NULL, let start = sqlite3_value_text(value) else {
            return nil
        }
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))),
            as: UTF8.self
        )
    }

    /// Returns whether a string contains `part` at character boundaries, or `nil` if either string is not ASCII.
    private static func containsASCII(_ text: OpaquePointer?, _ part: OpaquePointer?) -> Bool? {
        guard let text, let part, sqlite3_value_type(text) == SQLITE_TEXT, sqlite3_value_type(part) == SQLITE_TEXT
        else { return nil }
        return PreparedStatement.bytes(text).containsASCII(PreparedStatement.bytes(part))
    }

    private static func map(
        _ context: OpaquePointer?,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
        _ body: (String) -> String
    ) {
        guard let text = text(arguments?[0]) else { return sqlite3_result_null(context) }
        var result = body(text)
        result.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                // With a null pointer, SQLite would return NULL instead of the empty string.
                guard let start = characters.baseAddress else { return sqlite3_result_text(context, "", 0, copied) }
                sqlite3_result_text(context, start, Int32(characters.count), copied)
            }
        }
    }

    private static func compare(
        _ context: OpaquePointer?,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
        _ body: (String, String) -> Bool
    ) {
        guard let first = text(arguments?[0]), let second = text(arguments?[1]) else {
            return sqlite3_result_null(context)
        }
        sqlite3_result_int(context, body(first, second) ? 1 : 0)
    }
}
#endif
