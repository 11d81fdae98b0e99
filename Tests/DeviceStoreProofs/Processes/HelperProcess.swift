package import Foundation
package import LarderDeviceStore
import LarderFiles
import LarderTestSupport

/// Another process on the real file system, which runs `DeviceStoreHelper`.
package struct HelperProcess {
    /// It could not do what it was to do.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let process = Process()
    private let output = Pipe()
    /// Where it complains: into a file, for a pipe that nobody reads before it has ended is full after 64 KiB, and a sanitizer says more.
    private let complaints: TemporaryDirectory

    /// Starts it, perhaps on what it takes for a network file system.
    package init(
        _ mode: String,
        _ io: DeviceStoreOptions.IO,
        isOnNetwork: Bool = false,
        _ path: String,
        _ arguments: [String] = []
    ) throws {
        try self.init(Self.executable, [mode, "\(io)"] + (isOnNetwork ? ["network"] : []) + [path] + arguments)
    }

    /// Starts it in a world of its own, in which a disk of so many KiB lies at `folder`.
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

    /// Starts it in a world of its own, in which the file at `file` is also at `place`.
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

    /// Whether this user may mount a disk in a world of its own.
    package static let canMount: Bool = {
        guard let helper = try? HelperProcess(unshare, ownMounts + ["mount -t tmpfs tmpfs /mnt"]) else { return false }
        return (try? helper.finish()) != nil
    }()

    /// Whether the file system of temporary files is one on which stores are mapped.
    package static var canMap: Bool {
        // Where it can't be told nothing is mapped.
        (try? LocalFileSystem.local.volume(at: NSTemporaryDirectory()).keepsReservedRoom) ?? false
    }

    /// How another process writes a store in the folder for temporary files, when it is told to write so.
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
        // One that is killed while it writes its coverage leaves half a file, with which SwiftPM can't do anything.
        process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
        HeldProcess.hold(process)
        process.standardOutput = output
        complaints = try TemporaryDirectory()
        try Data().write(to: complaints.url(Self.complaintsName))
        process.standardError = try FileHandle(forWritingTo: complaints.url(Self.complaintsName))
        try process.start()
    }

    /// Waits for its end, and returns what it printed.
    ///
    /// - Throws: ``Failure`` when it ended with anything but 0.
    package func finish() throws -> String {
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let complaints = String(decoding: try Data(contentsOf: complaints.url(Self.complaintsName)), as: UTF8.self)
            throw Failure(description: "\(process.arguments ?? []): status \(process.terminationStatus), \(complaints)")
        }
        return printed
    }

    /// Kills it once `isTime`, which `what` says in words.
    ///
    /// - Returns: What it printed when it had ended by itself before, which it never should; else `nil`.
    /// - Throws: ``Failure`` when it had ended by itself with anything but 0.
    package func killWhen(_ what: String, _ isTime: () -> Bool) throws -> String? {
        // Long: whoever runs many of these may stop all of them for a while.
        try blockUntil(within: .seconds(600), what) { isTime() || !process.isRunning }
        let printed = process.isRunning ? nil : try finish()
        send(SIGKILL)
        process.waitUntilExit()
        return printed
    }

    /// As when this process is killed: nobody holds it any more.
    package func letGo() throws { try (process.standardInput as? Pipe)?.fileHandleForWriting.close() }

    /// Sends it a signal.
    package func send(_ signal: Int32) { kill(process.processIdentifier, signal) }
}
