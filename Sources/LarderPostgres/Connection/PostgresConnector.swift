#if Postgres
internal import LarderFiles
internal import LarderReplication
internal import Synchronization

/// Opens the connections of one engine, with growing pauses after failures.
final class PostgresConnector: Sendable {
    private struct State {
        /// The number of failures in a row.
        var failures = 0
        /// The time before which no attempt is made.
        var due: ContinuousClock.Instant?
        /// The identity of the store, once a connection was made.
        var identity: [UInt8]?
        /// The host to which the last connection was made.
        var preferred = 0
    }

    let address: PostgresAddress
    let store: String
    let options: PostgresOptions
    private let schema: SchemaInstallation
    private let state = Mutex(State())

    init(_ address: PostgresAddress, store: String, _ options: PostgresOptions, _ schema: SchemaInstallation) {
        self.address = address
        self.store = store
        self.options = options
        self.schema = schema
    }

    /// Connects to the first server that can be used, and finds the store.
    ///
    /// The call blocks the thread.
    ///
    /// - Parameter createsStore: Whether to create the store if it is missing and the options allow it.
    /// - Returns: The connection.
    /// - Throws: ``PostgresError`` if no server can be used.
    func connect(createsStore: Bool = false) throws -> PostgresSession {
        if let pause = state.withLock({ $0.due.map { $0 - .now } }), pause > .zero { CurrentProcess.sleep(for: pause) }
        do {
            let session = try connectToAny(createsStore)
            state.withLock { $0.failures = 0 }
            return session
        } catch {
            // The engine pauses too, so that no caller can flood the server with attempts.
            state.withLock { state in
                let pause = min(.milliseconds(50) * (1 << min(state.failures, 10)), .seconds(2))
                state.due = .now + pause * Double.random(in: 0.5...1)
                state.failures += 1
            }
            throw error
        }
    }

    private func connectToAny(_ createsStore: Bool) throws -> PostgresSession {
        let (first, count) = (state.withLock(\.preferred), address.attempts.count)
        var failures: [PostgresError] = []
        for index in (first..<first + count).map({ $0 % count }) {
            do {
                let connection = try PostgresConnection(
                    address.attempts[index],
                    within: address.limit,
                    timeout: options.timeout
                )
                let session = try open(connection, createsStore)
                state.withLock { $0.preferred = index }
                return session
            } catch let error as PostgresError {
                failures.append(error)
            }
        }
        // A server that is only down says less than one that has refused.
        throw failures.first { $0.code != .unreachable && $0.code != .readOnly } ?? failures.first
            ?? PostgresError.noConnection("the address names no server")
    }

    /// Prepares a new connection for the functions of the schema.
    private func open(_ connection: PostgresConnection, _ createsStore: Bool) throws -> PostgresSession {
        guard connection.serverVersion >= 120_000 else {
            throw PostgresError(
                .oldServer,
                "The server runs PostgreSQL \(connection.serverVersion / 10_000), but Larder needs version 12 or later. Upgrade the server."
            )
        }
        // Expectations are read after the lock on the store, which only this level of isolation does. A commit that is reported must be on
        // the server's disk; whether it must also be on a standby is for the administrator to say.
        let setup = try connection.run(
            """
            SELECT \(SchemaInstallation.isInstalled), current_setting('server_version'),
                set_config('client_min_messages', 'warning', false),
                set_config('standard_conforming_strings', 'on', false),
                set_config('default_transaction_isolation', 'read committed', false),
                set_config('lock_timeout', $1, false),
                CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END
            """,
            [.text("\(max(1, Int(options.timeout / .milliseconds(2))))")]
        )
        let isInstalled = try PostgresRows.required(setup.boolean(0, 0))
        let server = try PostgresRows.required(setup.text(0, 1))
        let version = try schema.prepare(connection, isInstalled: isInstalled, mayInstall: options.installsSchema)
        // Only the snapshot of a new replica creates a store, and none that was there before, because it would be another one.
        let known = state.withLock(\.identity)
        let found = try connection.run(
            "SELECT store_id, store_identity, at_revision, at_token FROM larder.attach($1, $2, $3, $4)",
            [
                .text(store), .boolean(createsStore && options.createsStore && known == nil),
                .bytes((0..<16).map { _ in .random(in: 0 ... .max) }), .int8(.random(in: .min ... .max)),
            ]
        )
        guard let number = try found.integer(0, 0, as: Int32.self) else {
            throw PostgresError(
                .storeNotFound,
                "The database has no store with the name \(store.debugDescription). Correct the name, restore the store from a backup, or let a new replica create it (`createsStore`)."
            )
        }
        let identity = try PostgresRows.required(found.bytes(0, 1))
        guard known ?? identity == identity else {
            throw PostgresError(
                .otherStore,
                "The store \(store.debugDescription) in the database is another one than before. Correct the address, or restart the program if the store was replaced on purpose."
            )
        }
        state.withLock { $0.identity = identity }
        return PostgresSession(
            connection: connection,
            store: number,
            position: try found.position(0, 2),
            server: server,
            schemaVersion: version
        )
    }
}

/// A connection that knows its store.
struct PostgresSession: Sendable {
    let connection: PostgresConnection
    /// The number of the store in the database.
    let store: Int32
    /// The position of the store when the connection was made.
    let position: ReplicationPosition
    /// The version of the server.
    let server: String
    /// The version of the schema.
    let schemaVersion: Int
}

extension PostgresRows {
    /// Returns the position whose revision and token are in a column and the next one.
    func position(_ row: Int, _ column: Int) throws -> ReplicationPosition {
        ReplicationPosition(
            revision: UInt64(bitPattern: try Self.required(integer(row, column, as: Int64.self))),
            token: UInt64(bitPattern: try Self.required(integer(row, column + 1, as: Int64.self)))
        )
    }
}
#endif
