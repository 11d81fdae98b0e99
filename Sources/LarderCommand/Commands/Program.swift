#if Command
import ArgumentParser
import LarderCore

/// The whole program as a function, so that tests can run it within their own process.
enum Program {
    /// - Parameters:
    ///   - arguments: As on the command line, without the program's name.
    ///   - console: Where to read and write.
    /// - Returns: 0; 1 when something was not found or not convertible; 2 for bad usage, a damaged store and every failure to
    ///   read or write.
    static func run(_ arguments: [String], console: Console) -> Int32 {
        Console.$current.withValue(console) {
            do {
                var command = try RootCommand.parseAsRoot(arguments.map(ArgumentText.protected))
                try command.run()
                return 0
            } catch {
                return report(error, to: console)
            }
        }
    }

    private static func report(_ error: any Error, to console: Console) -> Int32 {
        // Only the parser's own errors have an exit code of its own; help and the version have the one for success.
        if RootCommand.exitCode(for: error) == .success {
            do {
                try console.print(RootCommand.fullMessage(for: error))
                return 0
            } catch {
                return complain(CommandFailure(error), to: console)
            }
        }
        let parserSays = RootCommand.exitCode(for: error) == .validationFailure
        let failure = parserSays ? .usage(sentence(RootCommand.message(for: error))) : CommandFailure(error)
        return complain(failure, to: console)
    }

    private static func complain(_ failure: CommandFailure, to console: Console) -> Int32 {
        console.complain(failure.message)
        return failure.status
    }

    /// The parser's message in one line: it puts what an option takes into a list.
    private static func sentence(_ message: String) -> String {
        let lines = ArgumentText.restored(message).split(separator: "\n")
        guard let first = lines.first, lines.count > 1 else { return ArgumentText.restored(message) }
        return first + " " + lines.dropFirst().map { $0.trimmingPrefix(/[ -]+/) }.joined(separator: ", ") + "."
    }
}

struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "larder",
        abstract: "Reads, writes and checks what Larder stores.",
        discussion: """
            Without --store the commands use the device storage: the store that DeviceStorage.standard gives a program \
            named larder. The status is 0, or 1 when something was not found or can't be converted, or 2 for bad usage, \
            a damaged store, and everything that could not be read or written.
            """,
        version: "larder 0.1.0",
        subcommands: [
            PutCommand.self, GetCommand.self, DeleteCommand.self, ListCommand.self, WatchCommand.self,
            ImportCommand.self, ExportCommand.self, StatCommand.self, VerifyCommand.self, CompactCommand.self,
            BackupCommand.self, RepairCommand.self, TourCommand.self, TourWriterCommand.self,
        ] + objectStorage
    )

    /// What there is only with object storage.
    private static var objectStorage: [any ParsableCommand.Type] {
        #if Objects
        [ObjectsCommand.self]
        #else
        []
        #endif
    }
}
#endif
