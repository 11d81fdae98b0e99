#if Command
import ArgumentParser
import Foundation

struct TourCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tour",
        abstract: "Shows what Larder does, each call beside what it returned.",
        discussion: "Works in a temporary folder that is removed at the end; nothing of yours is read or written."
    )

    func run() throws {
        try TemporaryFolder.with { folder in try Tour(folder: folder, console: .current).run() }
    }
}

/// The second process of the tour; see ``CrashScene``.
struct TourWriterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "tour-writer", shouldDisplay: false)

    @Argument var path: String

    func run() throws { try CrashScene.write(to: path) }
}
#endif
