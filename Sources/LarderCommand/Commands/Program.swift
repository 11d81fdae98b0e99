#if Command
import ArgumentParser
import LarderCore

/// The entry point of the `larder` command, which tests call in process.
enum Program {
    /// Parses and runs a command line.
    ///
    /// - Parameters:
    ///   - arguments: The command-line arguments, without the program name.
    ///   - console: The console to read from and write to.
    /// - Returns: The exit status. 0 means success. 1 means that a value or file was not found or that a value can't be converted. 2 means
    ///   that the arguments are invalid, that the store is corrupt, or that a read or write failed.
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
        // Only errors of ArgumentParser have an exit code. Requests for help or the version have the success code.
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

    /// Rewrites an error message of the argument parser as a single sentence.
    private static func sentence(_ message: String) -> String {
        let lines = ArgumentText.restored(message).split(separator: "\n")
        guard let first = lines.first, lines.count > 1 else { return ArgumentText.restored(message) }
        return first + " " + lines.dropFirst().map { $0.trimmingPrefix(/[ -]+/) }.joined(separator: ", ") + "."
    }
}

struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "larder",
        abstract: "Reads, writes and checks Larder's stores.",
        discussion: """
            Without --store, commands use the device storage, which is the store that StandardStore.shared opens in a program \
            named larder. The exit status is 0 for success, 1 if a value or file was not found or a value can't be converted, \
            and 2 for invalid arguments, a corrupt store, or a failed read or write.
            """,
        version: "larder 0.1.0",
        subcommands: [
            PutCommand.self, GetCommand.self, DeleteCommand.self, ListCommand.self, WatchCommand.self,
            ImportCommand.self, ExportCommand.self, StatCommand.self, VerifyCommand.self, CompactCommand.self,
            BackupCommand.self, RepairCommand.self, ReplicateCommand.self, TourCommand.self, TourWriterCommand.self,
        ] + objectStorage + inspector
    )

    /// The commands that require the package trait `Inspector`.
    private static var inspector: [any ParsableCommand.Type] {
        #if Inspector
        [InspectCommand.self, InspectionDemoCommand.self]
        #else
        []
        #endif
    }

    /// The commands that require the package trait `Objects`.
    private static var objectStorage: [any ParsableCommand.Type] {
        #if Objects
        [ObjectsCommand.self]
        #else
        []
        #endif
    }
}
#endif
