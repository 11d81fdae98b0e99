#if Postgres
import Foundation
import LarderFiles
import LarderTestSupport
import Synchronization

/// A process with a replica that makes increments; see `Increments` in the program `ReplicationHelper`.
///
/// The process ends when this object is released.
final class ReplicaProcess: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let name: String
    /// The number of increments that the process makes.
    let count: Int
    /// The path of the file in which the process records its progress.
    private let record: String
    private let arguments: [String]
    private let process = Mutex<Process?>(nil)

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - name: The name of the process, which no other process in the folder has.
    ///   - count: The number of increments.
    ///   - replica: The path of the replica, which several processes may have open.
    ///   - address: The address of the database.
    ///   - folder: The folder for the progress of the process.
    ///   - command: A command to which the program and its arguments are appended, which must end in `exec`.
    /// - Throws: An error if the process can't be started.
    init(
        _ name: String,
        count: Int,
        replica: String,
        address: String,
        in folder: TemporaryDirectory,
        through command: [String] = []
    ) throws {
        self.name = name
        self.count = count
        record = folder.path(name)
        let folders = [
            Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        let program = folders.map { $0.appendingPathComponent("ReplicationHelper").path }
            .first(where: FileManager.default.isExecutableFile(atPath:))
        guard let program else { throw Failure(description: "ReplicationHelper was not built.") }
        arguments = command + [program, replica, address, name, record, "\(count)"]
        try start()
    }

    deinit { try? kill() }

    /// Starts the process again after ``kill()``.
    func start() throws {
        let process = Process()
        // A kill during the write of coverage data would leave a partial file, which SwiftPM can't read.
        process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let log = record + ".log"
        if !FileManager.default.fileExists(atPath: log) {
            _ = FileManager.default.createFile(atPath: log, contents: nil)
        }
        // It reports each fault as an issue.
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try output.seekToEnd()
        process.standardOutput = output
        process.standardError = output
        HeldProcess.hold(process)
        try process.start()
        self.process.withLock { $0 = process }
    }

    /// The number of increments that the process has recorded.
    var progress: Int {
        get throws {
            let status = process.withLock { $0.flatMap { $0.isRunning ? nil : $0.terminationStatus } }
            if let status {
                let log = PostgresPrograms.content(of: record + ".log")
                throw Failure(description: "The process \(name) ended with status \(status): \(log.suffix(2_000))")
            }
            guard let data = FileManager.default.contents(atPath: record), data.count == 8 else { return 0 }
            return Int(data.reversed().reduce(0) { $0 << 8 | Int64($1) })
        }
    }

    /// Whether the process has found that its disk is full.
    var hasFoundFullDisk: Bool { FileManager.default.fileExists(atPath: record + ".full") }

    /// The number of the process.
    var identifier: Int32 { process.withLock { $0?.processIdentifier ?? 0 } }

    /// Kills the process, and waits until it has ended.
    func kill() throws {
        guard let process = process.withLock({ $0 }), process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Kills the process, and starts it again.
    func restart() async throws {
        try await withBlockingWork {
            try self.kill()
            try self.start()
        }
    }

    /// Stops the process, which keeps its connections and locks.
    func freeze() { Foundation.kill(identifier, SIGSTOP) }

    /// Continues after ``freeze()``.
    func thaw() { Foundation.kill(identifier, SIGCONT) }
}
#endif
