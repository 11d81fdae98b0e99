import Foundation
import LarderDeviceStore

/// Another process that has a store open and does nothing with it, until this object goes.
final class Companion {
    static let argument = "--hold"
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts it, and returns when it has opened the store at `path`.
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

    /// What the other process does.
    static func hold(_ path: String) throws {
        let store = try DeviceStore(path: path)
        FileHandle.standardOutput.write(Data("open\n".utf8))
        _ = FileHandle.standardInput.readDataToEndOfFile()
        withExtendedLifetime(store) {}
    }
}
