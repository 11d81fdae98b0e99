#if Postgres
public import LarderReplication

/// The state of a store in PostgreSQL, for tools.
public struct PostgresStatus: Sendable {
    /// A replica that has read the history.
    public struct Replica: Sendable {
        /// The random number of the replica.
        public let number: UInt64
        /// The revision up to which the replica had read when it was last seen.
        public let revision: UInt64
        /// The time of the server when the replica was last seen, which is noted every half minute.
        public let seen: ReplicationInstant
    }

    /// The version of the server, such as "15.18".
    public let server: String
    /// The version of the schema `larder`.
    public let schemaVersion: Int
    /// The position of the last commit.
    public let position: ReplicationPosition
    /// The time of the engine.
    public let instant: ReplicationInstant
    /// The number of entries, including expired ones.
    public let entryCount: Int
    /// The revision after which the history is complete.
    public let historyStart: UInt64
    /// Whether commits wait for a synchronous standby.
    public let isSynchronous: Bool
    /// The known replicas, sorted by number.
    public let replicas: [Replica]
}
#endif
