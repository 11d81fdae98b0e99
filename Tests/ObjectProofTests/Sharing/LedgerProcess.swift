#if Objects
import Foundation
import LarderTestSupport

/// A child process that runs a command of `ObjectStorageHelper`.
struct LedgerProcess {
    /// The error of a process that failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let process = Process()
    private let output = Pipe()

    /// Starts a process that runs a command on the database file at `url`, and records its locks in the log `intervals`.
    init(_ command: String, _ url: URL, _ arguments: [String] = [], intervals: URL? = nil) throws {
        process.executableURL = HelperRun.executable
        process.arguments = [command, url.path] + arguments
        var environment = ProcessInfo.processInfo.environment
        // A process that is killed while it writes its coverage profile leaves a partial file, which SwiftPM can't read.
        environment["LLVM_PROFILE_FILE"] = "/dev/null"
        environment["LARDER_INTERVALS"] = intervals?.path
        process.environment = environment
        process.standardOutput = output
        HeldProcess.hold(process)
        try process.start()
    }

    /// Starts a process that saves in a loop, and states the number of its last save in the file `acknowledged-WRITER`.
    ///
    /// `options` are further options of `save`, such as `times=10`.
    static func saving(
        _ writer: String,
        _ url: URL,
        in folder: TemporaryDirectory,
        _ options: [String] = [],
        intervals: URL? = nil
    ) throws -> LedgerProcess {
        let acknowledged = folder.path("acknowledged-\(writer)")
        return try LedgerProcess(
            "save",
            url,
            ["writer=\(writer)", "acknowledged=\(acknowledged)"] + options,
            intervals: intervals
        )
    }

    var identifier: Int32 { process.processIdentifier }

    /// Waits for the end of the process, and throws an error if its status is not 0.
    func finish() throws {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(description: "\(process.arguments ?? []): status \(process.terminationStatus), \(text)")
        }
    }

    func send(_ signal: Int32) { Foundation.kill(identifier, signal) }

    /// Kills the process, which may be stopped, and waits for its end.
    func kill() {
        send(SIGKILL)
        process.waitUntilExit()
    }
}
#endif
