#if Postgres
public import LarderCore
public import LarderReplication

/// A connection to a store in a PostgreSQL database.
///
/// ```swift
/// let store = try ReplicatedStore(
///     replica: DeviceStore(path: "flags.larder"),
///     engine: PostgresEngine("postgresql:///app", store: "flags")
/// )
/// ```
///
/// The engine connects when it is first used, and again after a connection was lost. It uses one connection for commits, one for reading, one
/// for notifications, one for rare questions, and one for each snapshot that is being read. It blocks no cooperative thread. The database
/// needs PostgreSQL 12 or later. Several stores, each with a name, can share one database.
public final class PostgresEngine: ReplicationEngine {
    /// The address without user and password, and the name of the store.
    public let name: String

    let connector: PostgresConnector
    let commits: PostgresLane
    let reads: PostgresLane
    /// The lane of calls that may wait for a lock or a standby, or read much, so that `changes` does not wait behind them.
    let outcomes: PostgresLane
    let listener: PostgresListener
    let maintenance = PostgresMaintenance()

    /// The limits of one commit: 10,000 operations, 64 MiB, and keys of 2,048 bytes.
    public var limits: StoreLimits { Self.limits }

    static let limits = StoreLimits(operations: 10_000, bytes: 64 << 20, keyLength: 2_048)

    /// Creates an engine, without connecting.
    ///
    /// - Parameters:
    ///   - address: A connection URI or a list of parameters, as libpq defines them: `postgresql://user@host:port/database?parameters`.
    ///     Everything it omits comes from libpq's environment variables, the password file and the service file. Unless the address states
    ///     otherwise, the engine connects only to a server that accepts writes, and sets `connect_timeout` and the parameters that detect
    ///     dead connections.
    ///   - store: The name of the store in the database, which is not empty and has at most 200 bytes.
    ///   - options: The options of the engine.
    /// - Throws: ``PostgresError`` with the code `invalidConfiguration` if an argument is invalid.
    public convenience init(_ address: String, store: String, options: PostgresOptions = PostgresOptions()) throws {
        try self.init(address, store: store, options: options, schema: PostgresSchema.installation)
    }

    /// Creates an engine for another version of the schema, as an earlier or a later version of Larder would.
    init(_ address: String, store: String, options: PostgresOptions, schema: SchemaInstallation) throws {
        guard !store.isEmpty, store.utf8.count <= 200, !store.utf8.contains(0) else {
            throw PostgresError(
                .invalidConfiguration,
                "The name of the store is empty, longer than 200 bytes, or contains U+0000. Choose another name."
            )
        }
        let durations = Duration.zero...Duration.seconds(86_400)
        guard [options.timeout, options.pollingInterval].allSatisfy({ $0 > .zero && durations.contains($0) }) else {
            throw PostgresError(
                .invalidConfiguration,
                "The timeout and the polling interval must be positive, and at most a day. Change them."
            )
        }
        let parsed = try PostgresAddress(address, timeout: options.timeout)
        name = "\(parsed.description) (store \(store.debugDescription))"
        connector = PostgresConnector(parsed, store: store, options, schema)
        commits = PostgresLane(connector)
        reads = PostgresLane(connector)
        outcomes = PostgresLane(connector)
        listener = PostgresListener(connector)
    }

    /// Suspends until there may be commits after a position, at most for ``PostgresOptions/pollingInterval``.
    ///
    /// - Parameter position: The position of the last commit that the caller knows.
    /// - Throws: ``PostgresError`` if the server can't be reached or the connection is lost; `CancellationError` if the task is canceled.
    public func waitForChanges(after position: ReplicationPosition) async throws {
        try await listener.wait(after: position)
    }

    /// Returns the state of the store, for tools.
    ///
    /// - Returns: The state at one moment.
    /// - Throws: ``PostgresError`` if the server can't be asked.
    public func status() async throws -> PostgresStatus {
        try await outcomes.run { session in
            let rows = try session.connection.run(
                """
                SELECT at_revision, at_token, at_instant, entry_count, history_start, replica_numbers, replica_revisions, replica_instants,
                    current_setting('synchronous_standby_names') <> ''
                        AND current_setting('synchronous_commit') NOT IN ('local', 'off')
                FROM larder.status($1)
                """,
                [.int4(session.store)]
            )
            guard try rows.bytes(0, 0) != nil else { throw PostgresError.removedStore }
            let numbers = try rows.int8Array(0, 5)
            let (revisions, instants) = (try rows.int8Array(0, 6), try rows.int8Array(0, 7))
            return PostgresStatus(
                server: session.server,
                schemaVersion: session.schemaVersion,
                position: try rows.position(0, 0),
                instant: try rows.instant(0, 2),
                entryCount: Int(try PostgresRows.required(rows.integer(0, 3, as: Int64.self))),
                historyStart: UInt64(bitPattern: try PostgresRows.required(rows.integer(0, 4, as: Int64.self))),
                isSynchronous: try rows.boolean(0, 8) ?? false,
                replicas: zip(numbers, zip(revisions, instants)).map { number, seen in
                    PostgresStatus.Replica(
                        number: UInt64(bitPattern: number),
                        revision: UInt64(bitPattern: seen.0),
                        seen: ReplicationInstant(milliseconds: seen.1)
                    )
                }
            )
        }
    }
}

extension PostgresRows {
    /// Returns the instant in a column.
    func instant(_ row: Int, _ column: Int) throws -> ReplicationInstant {
        ReplicationInstant(milliseconds: try Self.required(integer(row, column, as: Int64.self)))
    }

    /// Returns the instant in a column, or `nil` if there is none.
    func optionalInstant(_ row: Int, _ column: Int) throws -> ReplicationInstant? {
        try integer(row, column, as: Int64.self).map { ReplicationInstant(milliseconds: $0) }
    }
}
#endif
