#if Postgres
internal import CPostgres

/// A connection of libpq, whose calls block the current thread for a bounded time.
///
/// The connection is not thread-safe: a lane lets one thread at a time use it.
// This is safe, because only the lane that has opened the connection uses it, from one thread at a time.
final class PostgresConnection: @unchecked Sendable {
    private let connection: OpaquePointer
    /// The time without any sign of the server after which the connection counts as lost.
    private let timeout: Duration
    /// Whether the server has said, since the last statement began, that it no longer waits for its synchronous standby.
    private(set) var hasCanceledStandbyWait = false
    /// Whether the connection can't be used any more.
    private(set) var isBroken = false

    /// Connects to one server.
    ///
    /// - Parameters:
    ///   - parameters: The parameters of libpq, which name at most one host.
    ///   - limit: The time limit of the attempt.
    ///   - timeout: The time without any sign of the server after which the connection counts as lost.
    /// - Throws: ``PostgresError`` if the connection can't be made.
    init(_ parameters: [(keyword: String, value: String)], within limit: Duration, timeout: Duration) throws {
        self.timeout = timeout
        let keywords = CStrings(parameters.map(\.keyword))
        let values = CStrings(parameters.map(\.value))
        guard let started = keywords.read({ keywords in values.read { PQconnectStartParams(keywords, $0, 0) } }) else {
            throw PostgresError(.outOfResources, "Memory for a connection is exhausted. Free memory and try again.")
        }
        connection = started
        // Notices would go to the standard error otherwise.
        PQsetNoticeReceiver(
            started,
            { context, result in
                guard let context else { return }
                Unmanaged<PostgresConnection>.fromOpaque(context).takeUnretainedValue().receive(notice: result)
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        // The message of a failed attempt then contains the SQLSTATE, which libpq tells in no other way.
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        try finishConnecting(by: .now + limit)
        PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
        PQsetnonblocking(connection, 1)
    }

    deinit { PQfinish(connection) }

    private func finishConnecting(by deadline: ContinuousClock.Instant) throws {
        guard PQstatus(connection) != CONNECTION_BAD else { throw connectionFailure }
        var step = PGRES_POLLING_WRITING
        while step != PGRES_POLLING_OK {
            let isWriting = step == PGRES_POLLING_WRITING
            while wait(writing: isWriting, until: deadline) == 0 {
                guard ContinuousClock.now < deadline else { throw PostgresError.noConnection("no answer in time") }
            }
            step = PQconnectPoll(connection)
            guard step != PGRES_POLLING_FAILED else { throw connectionFailure }
        }
    }

    private var connectionFailure: PostgresError {
        .connecting(
            message: String(cString: PQerrorMessage(connection)),
            needsPassword: PQconnectionNeedsPassword(connection) != 0
        )
    }

    /// Waits for the socket; see `larder_postgres_wait`.
    private func wait(writing isWriting: Bool, until deadline: ContinuousClock.Instant) -> Int32 {
        let pause = Int32(clamping: max(0, Int((deadline - .now) / .milliseconds(1))) + 1)
        return larder_postgres_wait(PQsocket(connection), isWriting ? 1 : 0, pause)
    }

    // MARK: - Statements

    /// The version of the server, such as 150018.
    var serverVersion: Int { Int(PQserverVersion(connection)) }

    /// Whether a transaction is open.
    var isInTransaction: Bool { PQtransactionStatus(connection) == PQTRANS_INTRANS }

    /// Runs a statement and returns its rows.
    ///
    /// - Parameters:
    ///   - statement: One statement with parameters `$1`, `$2` and so on.
    ///   - parameters: The values of the parameters.
    /// - Returns: The rows.
    /// - Throws: ``PostgresError``. The statement may have taken effect if the connection is broken afterwards.
    func run(_ statement: String, _ parameters: [PostgresValue] = []) throws -> PostgresRows {
        let encoded = parameters.map(\.encoded)
        let values = CStrings(encoded)
        return try complete {
            values.read {
                PQsendQueryParams(
                    connection,
                    statement,
                    Int32(parameters.count),
                    parameters.map(\.type),
                    $0,
                    encoded.map { Int32(clamping: $0?.count ?? 0) },
                    [Int32](repeating: 1, count: parameters.count),
                    1
                )
            }
        }
    }

    /// Runs statements without parameters, separated by semicolons, in one transaction.
    func runScript(_ script: String) throws { _ = try complete { PQsendQuery(connection, script) } }

    /// Sends a statement, and reads all results up to the moment at which the server is ready for the next one.
    ///
    /// The end of the results alone tells that the transaction was committed: the rows arrive before.
    private func complete(_ send: () -> Int32) throws -> PostgresRows {
        hasCanceledStandbyWait = false
        guard send() == 1 else { throw lost(nil) }
        try flush()
        var rows: OpaquePointer?
        var failure: PostgresError?
        while let result = try nextResult(discarding: rows) {
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                PQclear(rows)
                rows = result
            default:
                failure = failure ?? PostgresError.server(ServerMessage(result))
                PQclear(result)
            }
        }
        if PQstatus(connection) != CONNECTION_OK || PQtransactionStatus(connection) == PQTRANS_UNKNOWN {
            PQclear(rows)
            throw lost(failure)
        }
        if let failure {
            PQclear(rows)
            throw failure
        }
        return PostgresRows(taking: rows)
    }

    private func nextResult(discarding rows: OpaquePointer?) throws -> OpaquePointer? {
        do {
            while PQisBusy(connection) != 0 {
                _ = try waitForServer(writing: false)
                // After a failure, the last results tell what the server has said before it closed the connection.
                guard PQconsumeInput(connection) == 1 else { break }
            }
            return PQgetResult(connection)
        } catch {
            PQclear(rows)
            throw error
        }
    }

    private func flush() throws {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                // The server may send notices meanwhile, and would wait until they are read.
                if try waitForServer(writing: true) & 1 != 0, PQconsumeInput(connection) != 1 { throw lost(nil) }
            default: throw lost(nil)
            }
        }
    }

    private func waitForServer(writing isWriting: Bool) throws -> Int32 {
        let deadline = ContinuousClock.now + timeout
        while true {
            let found = wait(writing: isWriting, until: deadline)
            if found > 0 { return found }
            guard found == 0 else { throw lost(nil) }
            guard ContinuousClock.now < deadline else {
                isBroken = true
                throw PostgresError.silence(timeout)
            }
        }
    }

    private func lost(_ failure: PostgresError?) -> PostgresError {
        isBroken = true
        return .lostConnection(failure?.message ?? String(cString: PQerrorMessage(connection)), state: failure?.state)
    }

    // MARK: - What the server sends on its own

    /// Waits for notifications.
    ///
    /// - Parameter limit: The maximum time to wait, after which the list is empty.
    /// - Returns: The payloads of the notifications.
    /// - Throws: ``PostgresError`` if the connection is lost.
    func notifications(within limit: Duration) throws -> [String] {
        let deadline = ContinuousClock.now + limit
        while true {
            var payloads: [String] = []
            while let notification = PQnotifies(connection) {
                payloads.append(String(cString: notification.pointee.extra))
                PQfreemem(notification)
            }
            if !payloads.isEmpty || ContinuousClock.now >= deadline { return payloads }
            let found = wait(writing: false, until: deadline)
            guard found >= 0, found == 0 || PQconsumeInput(connection) == 1 else { throw lost(nil) }
        }
    }

    /// Returns whether the server has closed the connection while it was idle.
    func hasEnded() -> Bool {
        // The end of the connection may follow a message.
        for _ in 0..<3 where !isBroken {
            guard larder_postgres_wait(PQsocket(connection), 0, 0) != 0 else { return false }
            if PQconsumeInput(connection) != 1 { isBroken = true }
        }
        return isBroken || PQstatus(connection) != CONNECTION_OK
    }

    private func receive(notice: OpaquePointer?) {
        guard let notice else { return }
        // The text depends on the language of the server.
        if ServerMessage(notice).source == "SyncRepWaitForLSN" { hasCanceledStandbyWait = true }
    }
}
#endif
