#if Postgres
import LarderPostgres
import Testing

/// A primary server with a standby.
struct ServerPair {
    let primary: PostgresServer
    let standby: PostgresServer

    /// Starts both servers.
    ///
    /// - Parameter isSynchronous: Whether commits wait for the standby.
    /// - Throws: An error if a server does not start.
    init(isSynchronous: Bool) async throws {
        let primary = try await PostgresServer()
        standby = try await PostgresServer(standbyOf: primary)
        self.primary = primary
        guard isSynchronous else { return }
        try await primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        try await primary.sql("SELECT pg_reload_conf()")
        try await waitForStandby()
    }

    /// Waits until the standby is synchronous.
    func waitForStandby() async throws {
        try await waitUntilAsync("the synchronous standby") {
            let found = try await primary.sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
            return found.isEmpty ? nil : true
        }
    }

    /// Returns an engine that uses the server that accepts writes.
    func engine(_ options: PostgresOptions = PostgresOptions()) throws -> PostgresEngine {
        try PostgresEngine(PostgresServer.address(of: [primary, standby]), store: "flags", options: options)
    }

    /// Waits until the standby has everything, and then cuts it off, so that later commits are lost with the primary.
    func cutStandbyOff() async throws {
        let end = try await primary.sql("SELECT pg_current_wal_insert_lsn()")[0][0] ?? ""
        try await waitUntilAsync("the standby") {
            try await standby.sql("SELECT pg_last_wal_replay_lsn() >= '\(end)'") == [["t"]] ? true : nil
        }
        try await standby.sql("ALTER SYSTEM SET primary_conninfo = ''")
        try await standby.sql("SELECT pg_reload_conf()")
        try await waitUntilAsync("the end of replication") {
            try await primary.sql("SELECT 1 FROM pg_stat_replication").isEmpty ? true : nil
        }
    }

    /// Promotes the standby.
    ///
    /// - Parameter isFrozen: Whether the primary server hangs with its connections open, instead of being killed.
    /// - Throws: An error if the standby can't be promoted.
    func failOver(isFrozen: Bool = false) async throws {
        if isFrozen { try primary.freeze() } else { try primary.kill() }
        try await standby.promote()
    }
}
#endif
