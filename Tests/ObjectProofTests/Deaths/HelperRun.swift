#if Objects
import Foundation
import LarderTestSupport
import ObjectStorageModels

/// A child process that opens a library with the model of version 2, or upgrades its format, and how it ended.
struct HelperRun {
    enum Fault: String, Sendable {
        case none
        /// The process ends before a call that changes the disk.
        case kill
        /// The process ends after half of the bytes of a write.
        case halfway
        /// The disk is full from a growth of a file on.
        case full
        /// A call fails with an I/O error.
        case fail
        /// The process ends after a number of microseconds.
        case delay
    }

    enum End: Equatable {
        /// The file was opened.
        case opened(output: String)
        /// The opening threw an error with a code.
        case failed(code: String, message: String)
        case killed
        /// The helper itself failed.
        case invalid(String)
    }

    private static let failed: Int32 = 2

    private let process = Process()
    private let output = Pipe()
    /// What the process reports under a failing call, or `nil` if it reports to the log of the tests.
    private let reports: Pipe?

    /// Starts the process.
    ///
    /// Without a migration, the process opens the library with the model of version 1.
    init(_ url: URL, _ migration: LibraryMigration?, _ fault: Fault, _ number: Int, record: URL? = nil) throws {
        process.executableURL = Self.executable
        process.arguments = ["migrate", url.path, migration?.rawValue ?? "upgrade", fault.rawValue, "\(number)"]
        var environment = ProcessInfo.processInfo.environment
        // A process that is killed while it writes its coverage profile leaves a partial file, which SwiftPM can't read.
        environment["LLVM_PROFILE_FILE"] = "/dev/null"
        environment["LARDER_RECORD"] = record?.path
        process.environment = environment
        process.standardOutput = output
        // The failing call may be one of the thread that reads the saves of other processes, which reports it.
        reports = fault == .fail || fault == .full ? Pipe() : nil
        if let reports { process.standardError = reports }
        try process.start()
    }

    /// Waits for the end of the process.
    func end() -> End {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let reported = reports?.fileHandleForReading.readDataToEndOfFile() ?? Data()
        let lines = String(decoding: reported, as: UTF8.self).split(separator: "\n")
        if let line = lines.first(where: { !$0.contains(" readFailed: ") }) {
            return .invalid("reported: \(line)")
        }
        if process.terminationReason == .uncaughtSignal {
            return process.terminationStatus == SIGKILL ? .killed : .invalid("signal \(process.terminationStatus)")
        }
        switch process.terminationStatus {
        case 0: return .opened(output: text)
        case Self.failed: return .failed(code: String(text.prefix { $0 != " " }), message: text)
        default: return .invalid("status \(process.terminationStatus): \(text)")
        }
    }

    static let executable: URL? = {
        let folders = [
            Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        return folders.map { $0.appendingPathComponent("ObjectStorageHelper") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()
}
#endif
