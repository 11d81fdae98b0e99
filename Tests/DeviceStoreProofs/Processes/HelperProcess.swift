package import Foundation
package import LarderDeviceStore
import LarderFiles
import LarderTestSupport

/// A child process on the real file system that runs `DeviceStoreHelper`.
package struct HelperProcess {
    /// The error of a helper process that failed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let process = Process()
    private let output = Pipe()
    /// The folder that contains the file for standard error.
    ///
    /// A pipe would block after 64 KiB, and a sanitizer may print more.
    private let complaints: TemporaryDirectory

    /// Starts the helper, optionally on a simulated network file system.
    package init(
        _ mode: String,
        _ io: DeviceStoreOptions.IO,
        isOnNetwork: Bool = false,
        _ path: String,
        _ arguments: [String] = []
    ) throws {
        try self.init(Self.executable, [mode, "\(io)"] + (isOnNetwork ? ["network"] : []) + [path] + arguments)
    }

    /// Starts the helper in its own mount namespace, with a disk of a given size in KiB mounted at `folder`.
    package init(
        onDiskOf size: Int,
        at folder: String,
        _ mode: String,
        _ io: DeviceStoreOptions.IO,
        _ name: String
    ) throws {
        try self.init(
            Self.unshare,
            Self.ownMounts + [
                "mount -t tmpfs -o size=\(size)k tmpfs \"$0\" && exec \"$@\"", folder, Self.executable?.path ?? "",
                mode, "\(io)", "\(folder)/\(name)",
            ]
        )
    }

    /// Starts the helper in its own mount namespace, in which the file at `file` is also mounted at `place`.
    package init(
        withFile file: String,
        mountedAt place: String,
        _ mode: String,
        _ io: DeviceStoreOptions.IO
    ) throws {
        try self.init(
            Self.unshare,
            Self.ownMounts + [
                "mkdir -p \"$(dirname \"$1\")\" && touch \"$1\" && mount --bind \"$0\" \"$1\" && exec \"$2\" \"$3\" \"$4\" \"$1\"",
                file, place, Self.executable?.path ?? "", mode, "\(io)",
            ]
        )
    }

    /// Whether this user may mount a disk in a mount namespace.
    package static let canMount: Bool = {
        guard let helper = try? HelperProcess(unshare, ownMounts + ["mount -t tmpfs tmpfs /mnt"]) else { return false }
        return (try? helper.finish()) != nil
    }()

    /// Whether stores in the folder for temporary files are memory-mapped.
    package static var canMap: Bool {
        // Unknown file systems are not mapped.
        (try? LocalFileSystem.local.volume(at: NSTemporaryDirectory()).keepsReservedRoom) ?? false
    }

    /// Returns the IO mode that a store in the folder for temporary files actually uses for `io`.
    package static func wayUsed(for io: DeviceStoreOptions.IO) throws -> DeviceStoreOptions.IO {
        let directory = try TemporaryDirectory()
        let printed = try HelperProcess("io", io, directory.path("s.larder")).finish()
        guard let used = DeviceStoreOptions.IO.allCases.first(where: { printed == "\($0)\n" }) else {
            throw Failure(description: "It writes by \(printed)")
        }
        return used
    }

    private static let complaintsName = "complaints"
    private static let unshare: URL? = URL(fileURLWithPath: "/usr/bin/unshare")
    private static let ownMounts = ["--map-root-user", "--mount", "sh", "-c"]

    private static var executable: URL? {
        let folders = [
            Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        return folders.map { $0.appendingPathComponent("DeviceStoreHelper") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    private init(_ executable: URL?, _ arguments: [String]) throws {
        process.executableURL = executable
        process.arguments = arguments
        // A process that is killed while it writes its coverage profile leaves a partial file, which SwiftPM can't read.
        process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
        HeldProcess.hold(process)
        process.standardOutput = output
        complaints = try TemporaryDirectory()
        try Data().write(to: complaints.url(Self.complaintsName))
        process.standardError = try FileHandle(forWritingTo: complaints.url(Self.complaintsName))
        try process.start()
    }

    /// Waits for the end of the process, and returns its output.
    ///
    /// - Throws: ``Failure`` if the exit status is not 0.
    package func finish() throws -> String {
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let complaints = String(decoding: try Data(contentsOf: complaints.url(Self.complaintsName)), as: UTF8.self)
            throw Failure(description: "\(process.arguments ?? []): status \(process.terminationStatus), \(complaints)")
        }
        return printed
    }

    /// Kills the process once `isTime` returns `true`; `what` describes that condition.
    ///
    /// - Returns: The output of a process that ended before the kill, which is an error of the proof, or `nil`.
    /// - Throws: ``Failure`` if the process ended before the kill with an exit status other than 0.
    package func killWhen(_ what: String, _ isTime: () -> Bool) throws -> String? {
        // Long, because the user may suspend all of these processes for a while.
        try blockUntil(within: .seconds(600), what) { isTime() || !process.isRunning }
        let printed = process.isRunning ? nil : try finish()
        send(SIGKILL)
        process.waitUntilExit()
        return printed
    }

    /// Closes the standard input of the helper, as when this process is killed.
    package func release() throws { try (process.standardInput as? Pipe)?.fileHandleForWriting.close() }

    /// Sends a signal to the helper.
    package func send(_ signal: Int32) { kill(process.processIdentifier, signal) }
}
