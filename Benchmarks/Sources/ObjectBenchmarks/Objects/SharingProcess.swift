#if Objects
import Dispatch
import Foundation
import LarderObjects

/// Another process that has a database of orders open, and saves when this process asks for it.
final class SharingProcess {
    /// The command-line argument that makes this program such a process.
    static let word = "--sharing"
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts the process, and returns when it has opened the database at `path`.
    init(_ path: String) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [Self.word, path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try wait()
    }

    /// Asks the process for a number of saves, each of which inserts one order.
    func begin(saves: Int) { input.fileHandleForWriting.write(Data("\(saves)\n".utf8)) }

    /// Waits until the process has opened the database, or made all saves.
    func wait() throws {
        guard !output.fileHandleForReading.availableData.isEmpty else { throw ObjectBenchmarkError.wrongResult }
    }

    /// Closes the database in the process, and waits for its end.
    func end() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ObjectBenchmarkError.wrongResult }
    }

    static func open(_ path: String) throws -> SQLiteStorageManager {
        try SQLiteStorageManager(
            model: ObjectModel([BenchmarkOrder.self]),
            url: URL(fileURLWithPath: path),
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
    }

    /// The nanoseconds of a clock that all processes share.
    static var now: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

    /// Runs the process: saves as often as each line of the standard input says.
    static func run(_ path: String) async throws {
        let manager = try open(path)
        FileHandle.standardOutput.write(Data("open\n".utf8))
        while let line = readLine() {
            for _ in 0..<(Int(line) ?? 0) {
                // `site` is the time at which the save began.
                try await manager.performAndSave { try $0.insertNewObject(ofType: BenchmarkOrder.self).site = now }
            }
            FileHandle.standardOutput.write(Data("saved\n".utf8))
        }
        try manager.close()
    }
}
#endif
