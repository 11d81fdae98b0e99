#if Postgres
internal import LarderCore
public import LarderReplication

extension PostgresEngine {
    /// The maximum number of bytes in a page, whatever the caller allows, because a page is read into memory.
    private static var mostBytes: Int { 64 << 20 }

    /// Returns the commits after a position.
    ///
    /// Every half minute, the call also notes how far the replica has read, and trims the history. It does neither for a reader that is no
    /// replica.
    ///
    /// - Parameters:
    ///   - position: The position of the last commit that the caller knows.
    ///   - limit: The maximum size of the page, of which no more than 64 MiB count.
    ///   - replica: The random number of the replica, or 0 for a reader that is none.
    /// - Returns: The next commits, or `ReplicationPage.historyLost`.
    /// - Throws: ``PostgresError`` if the history can't be read.
    public func changes(
        after position: ReplicationPosition,
        limit: ReplicationPageLimit,
        replica: UInt64
    ) async throws -> ReplicationPage {
        try await reads.run { [maintenance] session in
            if replica != 0 { try maintenance.runIfDue(session, replica, position) }
            let rows = try session.connection.run(
                """
                SELECT is_found, at_instant, at_revision, at_token, commit_identifiers, changed_key, new_value, new_expiry
                FROM larder.changes($1, $2, $3, $4, $5)
                """,
                [
                    .int4(session.store), .int8(Int64(bitPattern: position.revision)),
                    .int8(Int64(bitPattern: position.token)), .int4(Int32(clamping: max(1, limit.commits))),
                    .int8(Int64(min(limit.bytes, Self.mostBytes))),
                ]
            )
            guard try rows.boolean(0, 0) == true else { return .historyLost }
            return .changes(try rows.changes(from: 1), at: try rows.instant(0, 1))
        }
    }
}

extension PostgresRows {
    /// Returns the commits in the rows: one row for each commit, followed by one for each of its writes.
    fileprivate func changes(from first: Int) throws -> [ReplicationChange] {
        var changes: [ReplicationChange] = []
        var row = first
        while row < count {
            guard let bytes = try bytes(row, 4) else { throw Self.unexpected }
            let position = try position(row, 2)
            let identifiers = stride(from: 0, to: bytes.count, by: 16)
                .map { ReplicationCommit.Identifier(bytes: bytes[$0..<min($0 + 16, bytes.count)]) }
            guard !identifiers.contains(nil) else {
                throw PostgresError(
                    .statement,
                    "The commit at revision \(position) has identifiers that Larder can't read, so the history can't be followed beyond it. Correct its row in larder.revision."
                )
            }
            var writes: [ReplicationCommit.Write] = []
            row += 1
            while row < count, let key = try self.bytes(row, 5) {
                writes.append(.init(try self.bytes(row, 6), key: key, expiry: try optionalInstant(row, 7)))
                row += 1
            }
            changes.append(.init(position: position, identifiers: identifiers.compactMap(\.self), writes: writes))
        }
        return changes
    }
}
#endif
