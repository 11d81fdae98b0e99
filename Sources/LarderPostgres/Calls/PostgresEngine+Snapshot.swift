#if Postgres
internal import LarderCore
public import LarderReplication

extension PostgresEngine {
    /// The maximum number of entries that are read at a time.
    private static var partSize: Int32 { 5_000 }
    /// The maximum number of bytes that are read at a time.
    private static var partBytes: Int64 { 4 << 20 }

    /// Reads all entries at one position, and hands them over in the order of their keys.
    ///
    /// The next part is read while `receive` handles one, so two parts of at most 4 MiB and one value each are in memory.
    ///
    /// - Parameter receive: A closure that receives the next entries. It runs in the current task.
    /// - Returns: The identity of the store, the position and the time of the snapshot.
    /// - Throws: ``PostgresError`` or `CancellationError` if the snapshot can't be read; the error of `receive`.
    public func snapshot(
        receive: @escaping @Sendable ([ReplicationSnapshot.Entry]) throws -> Void
    ) async throws -> ReplicationSnapshot {
        // The transaction ends with the connection, which is used for nothing else.
        let lane = PostgresLane(connector, createsStore: true)
        let snapshot = try await lane.run { session in
            try session.connection.runScript("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let rows = try session.connection.run(
                "SELECT store_identity, at_revision, at_token, at_instant FROM larder.snapshot($1)",
                [.int4(session.store)]
            )
            guard try rows.bytes(0, 0) != nil else { throw PostgresError.removedStore }
            return ReplicationSnapshot(
                identity: try PostgresRows.required(rows.bytes(0, 0)),
                position: try rows.position(0, 1),
                instant: try rows.instant(0, 3)
            )
        }
        var part = try await entries(from: [], on: lane)
        // The key that follows the last one in the order of bytes.
        while let first = part.last.map({ $0.key + [0] }) {
            async let next = entries(from: first, on: lane)
            try receive(part)
            part = try await next
        }
        return snapshot
    }

    /// Reads the entries at and after a key, as many as fit into one part.
    private func entries(from first: [UInt8], on lane: PostgresLane) async throws -> [ReplicationSnapshot.Entry] {
        try await lane.run { session in
            guard session.connection.isInTransaction else { throw PostgresError.lostSnapshot }
            let rows = try session.connection.run(
                "SELECT entry_key, entry_value, entry_expiry FROM larder.entries($1, $2, $3, $4)",
                [.int4(session.store), .bytes(first), .int4(Self.partSize), .int8(Self.partBytes)]
            )
            return try (0..<rows.count).map { row in
                ReplicationSnapshot.Entry(
                    key: try PostgresRows.required(rows.bytes(row, 0)),
                    value: try PostgresRows.required(rows.bytes(row, 1)),
                    expiry: try rows.optionalInstant(row, 2)
                )
            }
        }
    }
}

extension PostgresError {
    /// The connection was lost between two parts of a snapshot, and the lane has opened another one.
    fileprivate static let lostSnapshot = PostgresError(
        .connectionLost,
        "The connection was lost while a snapshot was read. Check the server and the network; the snapshot is read again."
    )
}
#endif
