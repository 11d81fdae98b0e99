import Foundation
import LarderDeviceStore

/// Another process that keeps a store open, without using it, as long as this object exists.
final class Companion {
    static let argument = "--hold"
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts the process, and returns when it has opened the store at `path`.
    init(holding path: String) throws {
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
        process.arguments = [Self.argument, path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        _ = output.fileHandleForReading.availableData
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Opens the store in the other process and waits until this process closes its standard input.
    static func hold(_ path: String) throws {
        let store = try DeviceStore(path: path)
        FileHandle.standardOutput.write(Data("open\n".utf8))
        _ = FileHandle.standardInput.readDataToEndOfFile()
        withExtendedLifetime(store) {}
    }
}
