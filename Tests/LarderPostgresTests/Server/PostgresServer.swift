#if Postgres
import Foundation
import LarderFiles
import LarderPostgres
import LarderReplication
import Synchronization
import Testing

/// A PostgreSQL server in a temporary folder, which ends with this process at the latest.
final class PostgresServer: Sendable {
    /// The folder of the data, which is the working folder of all processes of the server.
    let data: String
    /// The folder of the socket and the log.
    let folder: String
    let port: Int
    private let keeper: Keeper
    private let namespace: NetworkNamespace?

    /// The server that is shared by the tests that do not harm it.
    static var shared: PostgresServer { get async throws { try await sharedStart.value } }
    private static let sharedStart = Task {
        let server = try await PostgresServer()
        _ = try await server.engine("first").here()
        return server
    }

    /// The data of a new server, made once.
    private static let template = Task {
        let folder = try Keeper.newFolder()
        let keeper = try Keeper(folder)
        let options = ["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C"]
        try await PostgresPrograms.run("initdb", options + ["--pgdata", folder + "/data"])
        return (path: folder + "/data", keeper: keeper)
    }

    /// Starts a new server.
    ///
    /// - Parameters:
    ///   - settings: Additional settings.
    ///   - namespace: The network in which the server runs, or `nil` for that of the tests.
    /// - Throws: An error if the server does not start.
    init(settings: [String: String] = [:], in namespace: NetworkNamespace? = nil) async throws {
        self.namespace = namespace
        let template = try await Self.template.value.path
        (folder, port) = (try Keeper.newFolder(), try Self.freePort())
        data = folder + "/data"
        keeper = try Keeper(folder)
        try await PostgresPrograms.run("cp", ["-a", template, data])
        try await configure(settings)
        try await start()
    }

    /// Starts a standby of another server.
    init(standbyOf primary: PostgresServer) async throws {
        namespace = nil
        (folder, port) = (try Keeper.newFolder(), try Self.freePort())
        data = folder + "/data"
        keeper = try Keeper(folder)
        let source = "host=\(primary.folder) port=\(primary.port) user=postgres application_name=standby"
        try await PostgresPrograms.run(
            "pg_basebackup",
            ["--dbname", source, "--pgdata", data, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"]
        )
        try await configure([:])
        try await start()
    }

    private func configure(_ settings: [String: String]) async throws {
        let own = [
            "listen_addresses": host, "port": "\(port)", "unix_socket_directories": folder, "fsync": "off",
            "full_page_writes": "off", "autovacuum": "off", "shared_buffers": "16MB", "max_connections": "400",
            "jit": "off", "wal_retrieve_retry_interval": "100ms",
        ]
        let lines = own.merging(settings) { $1 }.map { "\($0) = '\($1)'\n" }.sorted().joined()
        let access = """
            host guarded all 127.0.0.1/32 md5
            local all all trust
            host all all \(host)/32 trust
            host all all samenet trust
            local replication all trust

            """
        for (name, content) in [("postgresql.conf", lines), ("pg_hba.conf", access)] {
            let script = #"printf '%s' "$1" >"$2""#
            try await PostgresPrograms.run("sh", ["-c", script, "sh", content, "\(data)/\(name)"])
        }
    }

    /// Starts the server, which must not be running, and waits until it answers.
    func start() async throws {
        let log = folder + "/log"
        // Not `pg_ctl`: the server would keep the socket open by which Foundation waits for the end of a process.
        var process = try PostgresPrograms.start("postgres", ["-D", data], output: log, in: namespace)
        try await waitUntilAsync("the server") {
            guard !process.isRunning else { return try? await sql("SELECT 1") }
            let content = PostgresPrograms.content(of: log)
            guard content.contains("Address already in use") else {
                throw PostgresPrograms.Failure(description: content)
            }
            // A connection of another test was given this port.
            process = try PostgresPrograms.start("postgres", ["-D", data], output: log, in: namespace)
            return nil
        }
    }

    /// Starts the server again after ``kill()``.
    func restart() async throws {
        try await waitUntilAsync("the restart") { () async throws -> Bool? in
            // The processes that were killed may still hold its memory.
            do { try await start() } catch is PostgresPrograms.Failure { return nil }
            return true
        }
    }

    private static func freePort() throws -> Int { try LoopbackSocket.freePort() }

    // MARK: - Addresses

    /// The address at which the server listens.
    private var host: String { namespace?.server ?? "127.0.0.1" }

    /// The address of a database, over the socket in the server's folder.
    func address(_ database: String = "postgres", user: String = "postgres", _ parameters: String = "") -> String {
        "postgresql:///\(database)?host=\(folder)&port=\(port)&user=\(user)\(parameters)"
    }

    /// The address of a database over the loopback interface.
    func networkAddress(_ database: String = "postgres", user: String = "postgres", _ parameters: String = "") -> String
    {
        "postgresql://\(user)@\(host):\(port)/\(database)?sslmode=disable\(parameters)"
    }

    /// The address of several servers, of which the engine chooses the one that accepts writes.
    static func address(of servers: [PostgresServer], _ parameters: String = "") -> String {
        let hosts = servers.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        return "postgresql://postgres@\(hosts)/postgres?sslmode=disable&connect_timeout=5\(parameters)"
    }

    private static let names = Atomic<Int>(0)

    /// Returns a name that no other test uses.
    static func newName(_ prefix: String = "store") -> String {
        "\(prefix)_\(names.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    /// Returns an engine for a store, whose connections are named like the store.
    func engine(_ store: String, _ options: PostgresOptions = PostgresOptions()) throws -> PostgresEngine {
        try PostgresEngine(address("postgres", "&application_name=\(store)"), store: store, options: options)
    }

    /// Returns an engine that is connected over the loopback interface.
    ///
    /// The first connection, which also installs the schema, is tried again: other tests may keep the processors busy for longer than
    /// the engine waits.
    func connectedEngine(
        _ store: String,
        _ options: PostgresOptions = PostgresOptions(),
        _ parameters: String = ""
    ) async throws -> PostgresEngine {
        let address = networkAddress() + parameters
        let engine = try PostgresEngine(address, store: store, options: options)
        _ = try await waitUntilAsync("the first connection") { try? await engine.here() }
        return engine
    }

    // MARK: - Statements

    /// Returns an engine for a new store.
    func newEngine() async throws -> PostgresEngine {
        let engine = try engine(Self.newName())
        _ = try await engine.here()
        return engine
    }

    /// Runs statements as the administrator and returns the rows of the last one.
    @discardableResult
    func sql(_ statements: String, database: String = "postgres") async throws -> [[String?]] {
        let address = address(database)
        return try await withBlockingWork { try AdministratorConnection(address).run(statements) }
    }

    /// Ends the connections of engines that ``engine(_:_:)`` has made for a store.
    func terminateConnections(of store: String) async throws {
        try await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(store)'")
    }

    /// Forgets all verdicts of a store, as if they were too old.
    func forgetVerdicts(of store: String) async throws {
        try await sql(
            """
            DELETE FROM larder.verdict v USING larder.store s WHERE v.store = s.id AND s.name = '\(store)';
            UPDATE larder.store SET forgotten_until = larder.time_after(instant) WHERE name = '\(store)'
            """
        )
    }

    /// Removes the whole history of a store.
    func trimHistory(of store: String) async throws {
        try await sql(
            """
            UPDATE larder.store SET history_commits = 0 WHERE name = '\(store)';
            SELECT larder.maintain(id, 0, revision) FROM larder.store WHERE name = '\(store)';
            DELETE FROM larder.replica r USING larder.store s WHERE r.store = s.id AND s.name = '\(store)'
            """
        )
    }

    // MARK: - Faults

    /// Kills all processes of the server at once.
    func kill() throws { try signal(SIGKILL) }

    /// Stops all processes of the server, which keep their connections and do nothing.
    func freeze() throws { try signal(SIGSTOP) }

    /// Continues after ``freeze()``.
    func thaw() throws { try signal(SIGCONT) }

    /// Sends a signal to all processes of the server, until there is no new one.
    private func signal(_ number: Int32) throws {
        var known: Set<Int32> = []
        while true {
            let new = try processes().subtracting(known)
            if new.isEmpty { return }
            for process in new { Foundation.kill(process, number) }
            known.formUnion(new)
        }
    }

    /// All processes of the server, which have the data as their working folder.
    private func processes() throws -> Set<Int32> {
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init)
        return Set(
            all.filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/cwd")) == data }
        )
    }

    /// Makes a standby the primary server.
    func promote() async throws { try await sql("SELECT pg_promote()") }
}
#endif
