import Foundation
import LarderPostgres

/// A PostgreSQL primary with a synchronous standby, and three instances of the service.
final class Fleet {
    let terminal: Terminal
    let primary: PostgresServer
    let standby: PostgresServer
    let instances: [Instance]

    init(in folder: URL, _ processes: ProcessList, _ terminal: Terminal) throws {
        let programs = try PostgresPrograms()
        try programs.makeFolder(folder)
        let primary = try PostgresServer("primary", in: folder, programs, processes)
        let standby = try PostgresServer("standby", in: folder, programs, processes)
        // libpq tries both servers, and stays with the one that accepts writes.
        let servers = "127.0.0.1:\(primary.port),127.0.0.1:\(standby.port)"
        instances = try ["a", "b", "c"].map { name in
            let address = "postgresql://\(name)@\(servers)/app?application_name=\(name)"
            return try Instance(name, address: address, in: folder, processes)
        }
        self.primary = primary
        self.standby = standby
        self.terminal = terminal
    }

    var a: Instance { instances[0] }
    var b: Instance { instances[1] }
    var c: Instance { instances[2] }

    /// The server that accepts writes now.
    var current: PostgresServer { primary.process?.isRunning ?? false ? primary : standby }

    func run() throws {
        try setUp()
        try changeArrives()
        try sessionExpires()
        try killWhileWriting()
        try cutOneInstance()
        try stopPrimary()
        try failOver()
        try checkAgreement()
        for instance in instances { instance.end(SIGTERM) }
    }

    // MARK: - Without faults

    private func setUp() throws {
        terminal.scene("A database with a synchronous standby, and three instances")
        try primary.create()
        try primary.start()
        try primary.sql("create database app")
        try primary.sql(PostgresSchema.script, in: "app")
        try primary.sql(
            """
            create role fleet nologin;
            grant usage on schema larder to fleet;
            grant execute on all functions in schema larder to fleet;
            create role a login in role fleet;
            create role b login in role fleet;
            create role c login in role fleet;
            """,
            in: "app"
        )
        terminal.say("PostgreSQL runs on port \(primary.port), with the schema larder and one role for each instance")
        try standby.follow(primary)
        try standby.start()
        // After the copy, so that the standby waits for no other one when it is promoted.
        try primary.sql("alter system set synchronous_standby_names = 'standby'")
        try primary.sql("select pg_reload_conf()")
        try wait(within: 20, "the synchronous standby") {
            try primary.sql("select sync_state from pg_stat_replication") == "sync"
        }
        terminal.say("A standby on port \(standby.port) confirms each commit before the primary answers")
        for instance in instances {
            try instance.start()
            try wait(within: 20, "the first contact of instance \(instance.name)") {
                try instance.status().position != nil
            }
            terminal.say(
                "Instance \(instance.name): http://127.0.0.1:\(instance.port)/ with its replica in \(instance.name).larder"
            )
            terminal.row("its inspector: \(try instance.inspector().absoluteString)")
        }
    }

    private func changeArrives() throws {
        terminal.scene("A flag is changed on instance a")
        for value in ["30", "40", "50"] { try changeAndShow("resultsPerPage", value, isConfirmed: false) }
        try changeAndShow("banner", "spring", isConfirmed: true)
    }

    /// Changes a flag on instance a, and shows when each page has it.
    private func changeAndShow(_ flag: String, _ value: String, isConfirmed: Bool) throws {
        let start = ContinuousClock.now
        try a.change(flag, ["value": value], isConfirmed: isConfirmed)
        let answered = ContinuousClock.now - start
        let arrivals = try pagesShow(value, in: flag, after: start)
        let kind = isConfirmed ? "confirmed by the cluster" : "durable on a"
        terminal.say("\(flag) = \(value), \(kind) after \(answered.inMilliseconds); on the pages: \(arrivals)")
    }

    /// Waits until the pages of instances show a flag, and returns the times for a line.
    func pagesShow(
        _ value: String,
        in flag: String,
        on shown: [Instance]? = nil,
        after start: ContinuousClock.Instant,
        within seconds: Double = 30
    ) throws -> String {
        try (shown ?? instances).map { instance in
            var arrival: ContinuousClock.Instant?
            try wait(within: seconds, "\(flag) = \(value) on instance \(instance.name)") {
                arrival = instance.page?.arrival(of: value, in: flag, after: start)
                return arrival != nil
            }
            return "\(instance.name) \(((arrival ?? start) - start).inMilliseconds)"
        }.joined(separator: ", ")
    }

    private struct Token: Decodable {
        let id: String
    }

    private func sessionExpires() throws {
        terminal.scene("A user logs in on instance a, for 3 seconds")
        let start = ContinuousClock.now
        let answer = try a.request("POST", "/sessions", #"{"user":"Ada","seconds":3}"#)
        guard answer.status == 200 else {
            throw DemoFailure("The login failed: \(String(decoding: answer.body, as: UTF8.self))")
        }
        let id = try JSONDecoder().decode(Token.self, from: answer.body).id
        for instance in instances {
            try wait(within: 10, "the session on instance \(instance.name)") {
                try instance.request("GET", "/sessions/\(id)").status == 200
            }
            terminal.say(
                "\(instance.name) knows the session, \((ContinuousClock.now - start).inMilliseconds) after the request"
            )
        }
        for instance in instances {
            try wait(within: 20, "the end of the session on instance \(instance.name)") {
                try instance.request("GET", "/sessions/\(id)").status == 404
            }
            terminal.say(
                "\(instance.name) has forgotten it, \((ContinuousClock.now - start).inMilliseconds) after the request"
            )
        }
    }
}
