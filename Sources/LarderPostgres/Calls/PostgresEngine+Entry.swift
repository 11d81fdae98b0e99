#if Postgres
internal import LarderCore
internal import LarderReplication

extension PostgresEngine {
    /// Reads one value, for tools that need no other.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value, or `nil` if there is none or it has expired.
    /// - Throws: ``PostgresError`` if the value can't be read.
    package func value(under key: [UInt8]) async throws -> [UInt8]? {
        try await outcomes.run { session in
            let rows = try session.connection.run(
                """
                SELECT store_identity, at_instant, entry_key, entry_value, entry_expiry
                FROM larder.snapshot($1) LEFT JOIN larder.entries($1, $2, 1, 0) ON true
                """,
                [.int4(session.store), .bytes(key)]
            )
            guard try rows.bytes(0, 0) != nil else { throw PostgresError.removedStore }
            // The entry found may be the next one.
            guard try rows.bytes(0, 2) == key else { return nil }
            if let expiry = try rows.optionalInstant(0, 4), try rows.instant(0, 1) >= expiry { return nil }
            return try rows.bytes(0, 3)
        }
    }
}
#endif
