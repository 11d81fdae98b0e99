#if Objects
import CObjectStorageFaults
import Foundation
import LarderObjects
import LarderTestSupport

/// A program that the tests of object storage run as a child process: `ObjectStorageHelper COMMAND PATH ...`.
///
/// The program exits with 0, and also ends when its test ends; see ``HeldProcess``. If an ``ObjectError`` is thrown, the program prints its code and message, and exits with 2; after other
/// failures it exits with 1. With `LARDER_INTERVALS` in the environment, it adds its locks to this log; see `larder_intervals_record`.
@main struct ObjectStorageHelper {
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { end(1, "ObjectStorageHelper COMMAND PATH ...") }
        let (command, path) = (arguments.removeFirst(), arguments.removeFirst())
        do {
            end(0, try await run(command, path, arguments))
        } catch let error as ObjectError {
            end(2, "\(error.code) \(error)")
        } catch {
            end(1, "\(error)")
        }
    }

    /// Runs a command, and returns its output.
    private static func run(_ command: String, _ path: String, _ arguments: [String]) async throws -> String {
        if command == "migrate" { return try MigrationCommand(arguments).run(path) }
        HeldProcess.exitWhenInputCloses()
        try recordIntervals()
        switch command {
        case "increment": try await WritingCommands(path).increment(times: number(arguments, 0))
        case "save": try await WritingCommands(path).save(SavingOptions(arguments))
        case "random": try await WritingCommands(path).random(seed: number(arguments, 0), times: number(arguments, 1))
        case "orders": try await OrderingCommand(path, arguments).run()
        case "hold" where arguments.count == 1:
            try await HoldingCommands(path).hold(SharedNumber(at: arguments[0]))
        case "follow" where arguments.count == 2:
            try await HoldingCommands(path).follow(arguments[0], SharedNumber(at: arguments[1]))
        case "commitUnlocked":
            try UnlockedWriter(path, checkpointAfter: number(arguments, 1)).run(seconds: number(arguments, 0))
        default: throw Misuse("There is no command \(command) with the arguments \(arguments).")
        }
        return ""
    }

    /// Returns the number at a position of the arguments.
    static func number(_ arguments: [String], _ position: Int) throws -> Int {
        guard arguments.indices.contains(position), let number = Int(arguments[position]) else {
            throw Misuse("Argument \(position + 1) of \(arguments) is not a number.")
        }
        return number
    }

    private static func recordIntervals() throws {
        guard let log = ProcessInfo.processInfo.environment["LARDER_INTERVALS"] else { return }
        guard larder_faults_register(LARDER_FAULT_NONE, 0) == 0, larder_intervals_record(log) == 0 else {
            throw Misuse("The intervals can't be recorded in \(log).")
        }
    }

    private static func end(_ status: Int32, _ text: String) -> Never {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
        exit(status)
    }
}

/// The error for arguments that a command does not understand.
struct Misuse: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
#else
/// Without object storage there is nothing to do.
@main struct ObjectStorageHelper {
    static func main() {}
}
#endif
