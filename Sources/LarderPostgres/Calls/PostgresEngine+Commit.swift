#if Postgres
internal import LarderCore
public import LarderReplication

extension PostgresEngine {
    /// Makes all writes of a commit if its expectations hold, or none.
    ///
    /// A commit beyond the ``limits`` is refused as `invalid` without asking the server.
    ///
    /// - Parameter commit: The commit.
    /// - Returns: The verdict; `.unknown` if the connection was lost, if the task was canceled after the commit was sent, or if the server
    ///   no longer waits for its synchronous standby.
    /// - Throws: ``PostgresError`` or `CancellationError` if the commit was not made and never will be.
    public func commit(_ commit: ReplicationCommit) async throws -> ReplicationAnswer {
        if let reason = Self.reasonAgainst(commit) {
            return .refused(.invalid(reason), at: ReplicationPosition(revision: 0, token: 0))
        }
        let parameters = Self.parameters(of: commit)
        return try await commits.run(abandoned: { .unknown(CancellationError()) }) { [commits] session in
            let answer = try Self.send(parameters, on: session)
            // The caller does not wait for it. If it fails, other machines find the commit by polling.
            if case .committed = answer { commits.post { try Self.announce(on: $0) } }
            return answer
        }
    }

    /// Notifies the machines that wait for changes.
    private static func announce(on session: PostgresSession) throws {
        _ = try session.connection.run("SELECT larder.announce($1)", [.int4(session.store)])
    }

    /// The SQLSTATE with which the function `commit` refuses arguments that can never be right.
    private static var invalidArguments: String { "LD001" }

    /// Sends a commit and waits for the verdict.
    static func send(_ parameters: [PostgresValue], on session: PostgresSession) throws -> ReplicationAnswer {
        let connection = session.connection
        do {
            let rows = try connection.run(
                """
                SELECT answer, at_revision, at_token
                FROM larder.commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
                """,
                [.int4(session.store)] + parameters
            )
            // The commit is in the history, but a failover may still lose it. If it is sent again, the answer waits for the standby.
            if connection.hasCanceledStandbyWait { return .unknown(PostgresError.canceledStandbyWait) }
            do { return try rows.answer() } catch { return .unknown(error) }
        } catch let error as PostgresError {
            // Without a code the error is libpq's own, such as a lack of memory for the answer, and 40003 says "completion unknown".
            guard let state = error.state, state != "40003", !connection.isBroken else { return .unknown(error) }
            // All other errors may pass, and the commit is sent again.
            guard state == Self.invalidArguments else { throw error }
            return .refused(.invalid(error.message), at: ReplicationPosition(revision: 0, token: 0))
        }
    }

    /// Returns the verdict about an identifier, after refusing the identifier if there is none.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of a commit.
    ///   - drawn: The engine's time at which the identifier was drawn, or `nil` if it is unknown.
    /// - Returns: The verdict.
    /// - Throws: ``PostgresError`` or `CancellationError` if the verdict is not known. The identifier may have been refused.
    public func outcome(
        of identifier: ReplicationCommit.Identifier,
        drawn: ReplicationInstant?
    ) async throws -> ReplicationAnswer {
        // Not the connection of the commit in question, which may be dead.
        try await outcomes.run { session in
            let rows = try session.connection.run(
                "SELECT answer, at_revision, at_token FROM larder.outcome($1, $2, $3)",
                [.int4(session.store), .bytes(identifier.bytes), .int8(drawn?.milliseconds)]
            )
            guard !session.connection.hasCanceledStandbyWait else { throw PostgresError.canceledStandbyWait }
            return try rows.answer()
        }
    }

    // MARK: - Parameters

    private static func reasonAgainst(_ commit: ReplicationCommit) -> String? {
        if commit.operationCount > limits.operations { return "the commit has too many operations" }
        if commit.byteCount > limits.bytes { return "the commit has too many bytes" }
        if commit.identifiers.isEmpty { return "the commit has no identifier" }
        if Set(commit.writes.map(\.key)).count < commit.writes.count { return "the commit writes a key twice" }
        if commit.writes.contains(where: { $0.key.count > limits.keyLength }) { return "a key is too long" }
        return nil
    }

    /// Returns the parameters of the function `commit` after the number of the store.
    private static func parameters(of commit: ReplicationCommit) -> [PostgresValue] {
        var expected: [(key: [UInt8], value: [UInt8]?)] = []
        var listings: [(prefix: [UInt8], count: Int32)] = []
        for expectation in commit.expectations {
            switch expectation {
            case .value(let value, let key): expected.append((key, value))
            case .entries(let entries, let prefix):
                // A listing holds if each of its entries does, and if the server finds as many.
                let canHold = entries.areListing(of: prefix)
                listings.append((prefix, canHold ? Int32(clamping: entries.count) : -1))
                if canHold { expected += entries.map { ($0.key, $0.value) } }
            }
        }
        return [
            .bytesArray(commit.identifiers.map(\.bytes)), .int8(commit.drawn?.milliseconds),
            .int8(.random(in: .min ... .max)),
            .bytesArray(expected.map(\.key)), .bytesArray(expected.map(\.value)),
            .bytesArray(listings.map(\.prefix)), .bytesArray(listings.map { $0.prefix.endOfPrefix }),
            .int4Array(listings.map(\.count)),
            .bytesArray(commit.writes.map(\.key)), .bytesArray(commit.writes.map(\.value)),
            .int8Array(commit.writes.map { $0.value == nil ? nil : $0.expiry?.milliseconds }),
        ]
    }
}

extension PostgresRows {
    /// Returns the answer in the first row, which has an answer, a revision and a token.
    fileprivate func answer() throws -> ReplicationAnswer {
        let position = try position(0, 1)
        switch try text(0, 0) {
        case "committed": return .committed(at: position)
        case "expectation": return .refused(.expectation, at: position)
        case "planted": return .refused(.planted, at: position)
        case "divided": return .refused(.divided, at: position)
        case "forgotten": return .forgotten
        default: throw Self.unexpected
        }
    }
}

extension PostgresError {
    fileprivate static let canceledStandbyWait = PostgresError(
        .notReplicated,
        "The server no longer waits for its synchronous standby, so a failover may lose the commit. Check the standby and try again."
    )
}

extension ReplicationCommit.Identifier {
    /// The session and the number, the most significant byte first.
    var bytes: [UInt8] { session.networkBytes + number.networkBytes }

    /// Creates the identifier whose ``bytes`` are given, or returns `nil` if their count is wrong.
    init?(bytes: some Collection<UInt8>) {
        guard let session = UInt64(networkBytes: bytes.prefix(8)), let number = UInt64(networkBytes: bytes.dropFirst(8))
        else { return nil }
        self.init(session: session, number: number)
    }
}

extension [ReplicationCommit.Pair] {
    /// Returns whether a store could list these entries under a prefix: their keys are sorted, without reserved ones.
    fileprivate func areListing(of prefix: [UInt8]) -> Bool {
        let reserved = Array<UInt8>("\u{0}larder".utf8)
        return allSatisfy { $0.key.starts(with: prefix) && !$0.key.starts(with: reserved) }
            && zip(self, dropFirst()).allSatisfy { $0.key.lexicographicallyPrecedes($1.key) }
    }
}

extension [UInt8] {
    /// The first byte string after all keys that begin with this prefix.
    fileprivate var endOfPrefix: [UInt8] {
        guard let last = lastIndex(where: { $0 < 0xFF }) else {
            // Longer than every key.
            return [UInt8](repeating: 0xFF, count: PostgresEngine.limits.keyLength + 1)
        }
        return self[..<last] + [self[last] + 1]
    }
}
#endif
