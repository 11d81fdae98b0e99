import Foundation

/// The standard streams that a command uses, which tests replace.
struct Console: Sendable {
    /// A closure that writes bytes to standard output.
    let write: @Sendable (Data) throws -> Void
    /// A closure that writes bytes to standard error.
    let writeError: @Sendable (Data) -> Void
    /// A closure that returns all bytes of standard input.
    let readInput: @Sendable () throws -> Data
    /// Whether standard output is a terminal.
    ///
    /// Output to a terminal is colored, and long values are truncated.
    let isTerminal: Bool
    /// Whether to show progress bars on standard error.
    var showsProgress = false

    /// The console of the running command.
    @TaskLocal static var current = Console.standard

    /// The standard streams of the process.
    static let standard = Console(
        write: { try FileHandle.standardOutput.write(contentsOf: $0) },
        // If standard error is closed, the error can't be reported.
        writeError: { try? FileHandle.standardError.write(contentsOf: $0) },
        readInput: { try FileHandle.standardInput.readToEnd() ?? Data() },
        isTerminal: isatty(1) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil,
        showsProgress: isatty(2) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    )

    func print(_ line: String) throws { try write(Data((line + "\n").utf8)) }

    /// Writes a message, prefixed with "larder: ", to standard error.
    func complain(_ sentence: String) { writeError(Data("larder: \(sentence)\n".utf8)) }
}
