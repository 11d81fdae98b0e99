#if Command
import ArgumentParser
import Foundation

struct TourCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tour",
        abstract: "Demonstrates Larder's API and prints the result of each call.",
        discussion:
            "The tour runs in a temporary folder, which is removed at the end. No other files are read or written."
    )

    func run() throws {
        try TemporaryFolder.with { folder in try Tour(folder: folder, console: .current).run() }
    }
}

/// A hidden command that runs the writer process of ``CrashScene``.
struct TourWriterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "tour-writer", shouldDisplay: false)

    @Argument var path: String

    func run() throws { try CrashScene.write(to: path) }
}
#endif
