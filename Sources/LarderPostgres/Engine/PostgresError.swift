#if Postgres
/// An error of a ``PostgresEngine``.
///
/// The call that throws this error has made no commit, and never will.
public struct PostgresError: Error, Sendable, CustomStringConvertible {
    /// A code that identifies what went wrong.
    ///
    /// New codes may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        init(_ name: String) { description = name }

        /// The address, the name of the store or an option is invalid.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// No server could be reached at the address.
        public static let unreachable = Code("unreachable")
        /// A program answers at the address, but not as PostgreSQL.
        public static let notPostgreSQL = Code("notPostgreSQL")
        /// The server does not accept the role or its password.
        public static let notAuthenticated = Code("notAuthenticated")
        /// TLS with the server failed: it has none, or its certificate is not trusted or belongs to another host.
        public static let tlsFailed = Code("tlsFailed")
        /// The server has no database with this name.
        public static let databaseNotFound = Code("databaseNotFound")
        /// The server is older than PostgreSQL 12.
        public static let oldServer = Code("oldServer")
        /// The role lacks a privilege.
        public static let notPermitted = Code("notPermitted")
        /// The database has no schema `larder`, or one of an older version, and the engine was told not to change that.
        public static let schemaMissing = Code("schemaMissing")
        /// A newer version of Larder has upgraded the schema, which this version can't use.
        public static let newerSchema = Code("newerSchema")
        /// The schema has no store with this name, and the engine was told not to create one.
        public static let storeNotFound = Code("storeNotFound")
        /// The store with this name is another one than at an earlier connection of this engine.
        public static let otherStore = Code("otherStore")
        /// The server is a standby, or the database is read-only.
        public static let readOnly = Code("readOnly")
        /// Another commit of the store has not ended in time, often because it waits for a synchronous standby.
        public static let busy = Code("busy")
        /// The server no longer waits for its synchronous standby, so a failover may lose the commit.
        public static let notReplicated = Code("notReplicated")
        /// The server has no connections, memory or disk space left.
        public static let outOfResources = Code("outOfResources")
        /// The connection was lost, or the server did not answer in time.
        public static let connectionLost = Code("connectionLost")
        /// The server refused a statement for another reason.
        public static let statement = Code("statement")
    }

    /// The code that identifies what went wrong.
    public let code: Code
    /// A message that says what happened and what to do.
    public let message: String
    /// The SQLSTATE of the server, or `nil` if the server did not send one.
    public let state: String?

    init(_ code: Code, _ message: String, state: String? = nil) {
        self.code = code
        self.message = message
        self.state = state
    }

    /// The message, with the SQLSTATE if there is one.
    public var description: String { state.map { "\(message) (SQLSTATE \($0))" } ?? message }
}
#endif
