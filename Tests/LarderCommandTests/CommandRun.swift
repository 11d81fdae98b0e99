import Foundation
import LarderTestSupport

/// The result of running the built program with a command line and a separate home folder.
struct CommandRun {
    let status: Int32
    let output: String
    let complaint: String

    init(_ arguments: String..., input: Data = Data(), home: URL? = nil) throws {
        try self.init(arguments, input: input, home: home)
    }

    init(
        _ arguments: [String],
        input: Data = Data(),
        home: URL? = nil,
        environment: [String: String?] = [:]
    ) throws {
        let folder = home ?? FileManager.default.temporaryDirectory.appending(path: "larder-home-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { if home == nil { try? FileManager.default.removeItem(at: folder) } }

        let process = Process()
        process.executableURL = try Self.program()
        process.arguments = arguments
        var variables = [
            "HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "TMPDIR": folder.path, "LARDER_TEST_PROCESS": "0",
            // The coverage of the second process is not counted. Without this variable, it would write a file to its working directory.
            "LLVM_PROFILE_FILE": "/dev/null",
        ]
        // The sanitizer options also apply to the second process, which would otherwise report a leak in Foundation's `Process`.
        for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"] { variables[name] = ProcessInfo.processInfo.environment[name] }
        for (name, value) in environment { variables[name] = value }
        process.environment = variables
        // The output goes to files, because pipes could fill up.
        let streams = try (
            Self.file("input", in: folder), Self.file("output", in: folder), Self.file("error", in: folder)
        )
        defer { for url in [streams.0, streams.1, streams.2] { try? FileManager.default.removeItem(at: url) } }
        try input.write(to: streams.0)
        process.standardInput = try FileHandle(forReadingFrom: streams.0)
        process.standardOutput = try FileHandle(forWritingTo: streams.1)
        process.standardError = try FileHandle(forWritingTo: streams.2)
        try process.start()
        process.waitUntilExit()
        status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        output = String(decoding: try Data(contentsOf: streams.1), as: UTF8.self)
        complaint = String(decoding: try Data(contentsOf: streams.2), as: UTF8.self)
    }

    private static func file(_ name: String, in folder: URL) throws -> URL {
        let url = folder.appending(path: "standard-\(name)-\(UUID().uuidString)")
        try Data().write(to: url)
        return url
    }

    /// Returns the location of the program, which is built next to the test bundle.
    static func program() throws -> URL {
        let arguments = ProcessInfo.processInfo.arguments
        var folder = Bundle.main.bundleURL
        if let index = arguments.firstIndex(of: "--test-bundle-path"), arguments.indices.contains(index + 1) {
            folder = URL(filePath: arguments[index + 1])
        }
        while folder.pathComponents.count > 1 {
            let program = folder.appending(path: "larder")
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: program.path, isDirectory: &isFolder), !isFolder.boolValue {
                return program
            }
            folder.deleteLastPathComponent()
        }
        throw Missing()
    }

    private struct Missing: Error, CustomStringConvertible {
        let description = "The program larder was not built beside the tests."
    }
}

/// Runs `body` with a temporary folder.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "larder-command-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// Runs `body` with the path of a store that does not exist yet, in a temporary folder.
func withStorePath<Result>(_ body: (String) throws -> Result) throws -> Result {
    try withFolder { try body($0.appending(path: "s.plist").path) }
}
