import CSQLiteForTests
import DeviceStoreProofs
import Foundation
import LarderCore

/// A reference implementation of a store: an in-memory SQLite table.
final class SQLiteOracle {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var database: OpaquePointer?

    init() throws {
        try check(sqlite3_open(":memory:", &database))
        try run("CREATE TABLE entry (key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL, expiry INTEGER)")
    }

    deinit { sqlite3_close(database) }

    /// Commits a batch in a transaction; returns `false` if an expectation does not hold.
    func commit(_ batch: StoreBatch, until expiry: Int64? = nil, now: Int64) throws -> Bool {
        try run("BEGIN")
        for expectation in batch.expectations {
            guard case .value(let value, let key) = expectation else { continue }
            if try get(key.text, now: now) != value {
                try run("ROLLBACK")
                return false
            }
        }
        for write in batch.writes {
            if let value = write.value {
                try run(
                    "INSERT OR REPLACE INTO entry VALUES (?, ?, ?)",
                    write.key.text,
                    value.encoded(),
                    expiry
                )
            } else {
                try run("DELETE FROM entry WHERE key = ?", write.key.text)
            }
        }
        try run("COMMIT")
        return true
    }

    func get(_ key: String, now: Int64) throws -> StoredValue? {
        try rows("SELECT key, value FROM entry WHERE key = ? AND (expiry IS NULL OR expiry > ?)", key, now).first?.value
    }

    /// Returns all entries that have not expired.
    func contents(now: Int64) throws -> Contents {
        Dictionary(
            uniqueKeysWithValues: try rows("SELECT key, value FROM entry WHERE expiry IS NULL OR expiry > ?", now)
                .map { ($0.key, $0.value) }
        )
    }

    // MARK: Statements

    private func run(_ sql: String, _ arguments: Any?...) throws { _ = try rows(sql, arguments) }

    private func rows(_ sql: String, _ arguments: Any?...) throws -> [(key: String, value: StoredValue)] {
        try rows(sql, arguments)
    }

    private func rows(_ sql: String, _ arguments: [Any?]) throws -> [(key: String, value: StoredValue)] {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        for (index, argument) in arguments.enumerated() { try bind(argument, statement, Int32(index + 1)) }
        var rows: [(key: String, value: StoredValue)] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_DONE: return rows
            case SQLITE_ROW:
                let count = Int(sqlite3_column_bytes(statement, 1))
                let bytes = UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, 1), count: count)
                let key = sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? ""
                rows.append((key, try StoredValue(decoding: bytes)))
            default: throw failure
            }
        }
    }

    private func bind(_ argument: Any?, _ statement: OpaquePointer?, _ index: Int32) throws {
        // SQLite copies the bytes.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch argument {
        case let number as Int64: try check(sqlite3_bind_int64(statement, index, number))
        case let text as String: try check(sqlite3_bind_text(statement, index, text, -1, transient))
        case let bytes as [UInt8]: try check(sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), transient))
        default: try check(sqlite3_bind_null(statement, index))
        }
    }

    private func check(_ status: Int32) throws {
        guard status == SQLITE_OK else { throw failure }
    }

    private var failure: Failure { Failure(description: String(cString: sqlite3_errmsg(database))) }
}
