#if Postgres
import Foundation
import LarderFiles
import LarderTestSupport
import Testing

/// The programs of the server, which Debian keeps outside the path.
enum PostgresPrograms {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let folders: [String] = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let debian = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let newestFirst = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
        // The client programs in the path may be wrappers for the system's own servers.
        return newestFirst.map { "\(debian)/\($0)/bin" } + path.split(separator: ":").map(String.init)
    }()

    private static func path(of program: String) -> String? {
        folders.map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile(atPath:))
    }

    /// Whether this machine can start servers.
    ///
    /// In CI they must start.
    static let areAvailable: Bool =
        ["initdb", "postgres", "pg_basebackup"].allSatisfy { path(of: $0) != nil }
        || ProcessInfo.processInfo.environment["CI"] != nil

    /// The user who runs servers if the tests run as root, for whom PostgreSQL refuses to start.
    static let user: UInt32? = {
        guard getuid() == 0 else { return nil }
        return getpwnam("postgres")?.pointee.pw_uid ?? 65_534
    }()

    /// Runs a program as the user who runs servers, until it ends.
    static func run(_ program: String, _ arguments: [String]) async throws {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: output) }
        let status = try await withBlockingWork {
            let process = try start(program, arguments, output: output)
            process.waitUntilExit()
            return process.terminationStatus
        }
        guard status == 0 else { throw Failure(description: "\(program) failed: \(content(of: output))") }
    }

    /// Starts a program as the user who runs servers.
    ///
    /// - Parameters:
    ///   - program: The name of the program.
    ///   - arguments: The arguments.
    ///   - output: The path of the file for what the program prints.
    ///   - namespace: The network in which the program runs, or `nil` for that of the tests.
    /// - Returns: The process.
    /// - Throws: An error if the program can't be started.
    static func start(
        _ program: String,
        _ arguments: [String],
        output: String,
        in namespace: NetworkNamespace? = nil
    ) throws -> Process {
        guard let path = path(of: program) else {
            throw Failure(description: "\(program) is not installed. Install PostgreSQL (Debian: postgresql).")
        }
        var words = [path] + arguments
        if let user, let setpriv = Self.path(of: "setpriv") {
            words = [setpriv, "--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + words
        }
        if let namespace, let ip = Self.path(of: "ip") { words = [ip, "netns", "exec", namespace.name] + words }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        guard FileManager.default.createFile(atPath: output, contents: nil) else {
            throw Failure(description: "\(output) can't be created.")
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = file
        process.standardError = file
        try process.start()
        return process
    }

    /// Returns what a program has printed to a file.
    static func content(of path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}

extension Trait where Self == ConditionTrait {
    /// A condition for tests that start PostgreSQL.
    static var needsPostgres: Self {
        .enabled(
            if: PostgresPrograms.areAvailable,
            "Left out: what PostgreSQL does. Its server is not installed (Debian: postgresql)."
        )
    }
}
#endif
