import Foundation

/// PostgreSQL's programs, and the user who runs them.
struct PostgresPrograms {
    private let folder: String
    /// The user and group that run the server, because PostgreSQL refuses to run as root.
    private let user: (id: uid_t, group: gid_t)?

    /// Finds the programs where Debian installs them, or on the path.
    init() throws {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let places =
            versions.compactMap { Int($0) }.sorted(by: >).map { "/usr/lib/postgresql/\($0)/bin" }
            + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let needed = ["initdb", "postgres", "pg_basebackup", "pg_ctl", "psql"]
        let found = places.first { place in
            needed.allSatisfy { FileManager.default.isExecutableFile(atPath: "\(place)/\($0)") }
        }
        guard let found else {
            throw DemoFailure(
                "PostgreSQL's programs (\(needed.joined(separator: ", "))) were not found. On Debian and Ubuntu: apt-get install postgresql"
            )
        }
        folder = found
        guard getuid() == 0 else {
            user = nil
            return
        }
        guard let entry = getpwnam("postgres") ?? getpwnam("daemon") else {
            throw DemoFailure("There is no user \"postgres\" or \"daemon\". Run the demo as a user other than root.")
        }
        user = (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }

    /// Returns the command line of a program, which runs as another user if this process runs as root.
    func command(_ name: String, _ arguments: [String]) -> (program: String, arguments: [String]) {
        let path = "\(folder)/\(name)"
        guard let user else { return (path, arguments) }
        let privileges = ["--reuid=\(user.id)", "--regid=\(user.group)", "--clear-groups"]
        return ("/usr/bin/env", ["setpriv"] + privileges + [path] + arguments)
    }

    /// Creates a folder that the user of the server owns.
    func makeFolder(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let user, chown(folder.path, user.id, user.group) != 0 {
            throw DemoFailure("The folder \(folder.path) can't be given to the user who runs PostgreSQL.")
        }
    }
}

/// A PostgreSQL server in a folder of its own.
final class PostgresServer {
    let port: UInt16
    private let name: String
    private let folder: URL
    private let data: URL
    private let programs: PostgresPrograms
    private let processes: ProcessList
    private(set) var process: Child?

    init(_ name: String, in folder: URL, _ programs: PostgresPrograms, _ processes: ProcessList) throws {
        self.name = name
        self.folder = folder
        self.programs = programs
        self.processes = processes
        data = folder.appending(path: name)
        port = try freePort()
    }

    private var log: URL { folder.appending(path: "\(name).log") }

    /// Creates an empty database cluster.
    func create() throws {
        try run("initdb", ["-D", data.path, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
        try configure()
    }

    /// Copies a running server, and prepares to follow it.
    func follow(_ primary: PostgresServer) throws {
        let connection = "host=127.0.0.1 port=\(primary.port) user=postgres application_name=\(name)"
        try run("pg_basebackup", ["-D", data.path, "-d", connection, "-R", "-X", "stream", "-c", "fast", "--no-sync"])
        try configure()
    }

    private func configure() throws {
        let settings = """

            listen_addresses = '127.0.0.1'
            port = \(port)
            unix_socket_directories = ''
            shared_buffers = 16MB
            max_connections = 50
            """
        let file = data.appending(path: "postgresql.conf")
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(settings.utf8))
        try handle.close()
    }

    func start() throws {
        let (program, arguments) = programs.command("postgres", ["-D", data.path])
        let process = try processes.start(program, arguments, log: log, in: folder)
        self.process = process
        try wait(within: 30, "PostgreSQL (\(name))") {
            guard process.isRunning else { throw DemoFailure("PostgreSQL (\(name)) did not start.") }
            return (try? sql("select 1")) == "1"
        }
    }

    /// Makes a standby the primary.
    func promote() throws { try run("pg_ctl", ["-D", data.path, "-w", "promote"]) }

    /// Runs a statement or script, and returns its output without the last line break.
    @discardableResult
    func sql(_ script: String, in database: String = "postgres") throws -> String {
        let address = "host=127.0.0.1 port=\(port) user=postgres dbname=\(database) connect_timeout=5"
        let input = folder.appending(path: "\(UUID().uuidString).sql")
        try Data(script.utf8).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        return try run("psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", address, "-f", input.path])
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let (path, all) = programs.command(program, arguments)
        let output = folder.appending(path: "\(UUID().uuidString).out")
        defer { try? FileManager.default.removeItem(at: output) }
        let child = try processes.start(path, all, log: output, in: folder)
        let status = child.wait()
        let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        guard status == 0 else {
            throw DemoFailure("\(program) failed: \(text.split(separator: "\n").suffix(5).joined(separator: " "))")
        }
        return text.trimmingCharacters(in: .newlines)
    }
}

/// Returns a port on which no program listens now.
func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
    }
    guard isBound else { throw DemoFailure("No port of 127.0.0.1 is free.") }
    return UInt16(bigEndian: address.sin_port)
}

func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
}

/// Waits until a condition holds.
func wait(within seconds: Double, _ what: String, until condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw DemoFailure("\(what): not within \(seconds) s.") }
        usleep(2_000)
    }
}
