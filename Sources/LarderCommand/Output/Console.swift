import Foundation

/// Where a command reads and writes, so that tests can run one without a terminal.
struct Console: Sendable {
    /// Takes bytes for standard output.
    let write: @Sendable (Data) throws -> Void
    /// Takes bytes for standard error.
    let writeError: @Sendable (Data) -> Void
    /// Everything on standard input.
    let readInput: @Sendable () throws -> Data
    /// Whether a person looks at standard output: colours and shortened values are for them alone.
    let isTerminal: Bool
    /// Whether a person looks at standard error: progress bars are for them alone.
    var showsProgress = false

    /// The console of the command that is running.
    @TaskLocal static var current = Console.standard

    /// The process's own streams.
    static let standard = Console(
        write: { try FileHandle.standardOutput.write(contentsOf: $0) },
        // There is nobody left to tell when standard error is closed.
        writeError: { try? FileHandle.standardError.write(contentsOf: $0) },
        readInput: { try FileHandle.standardInput.readToEnd() ?? Data() },
        isTerminal: isatty(1) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil,
        showsProgress: isatty(2) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    )

    func print(_ line: String) throws { try write(Data((line + "\n").utf8)) }

    /// Writes one sentence to standard error, after the program's name.
    func complain(_ sentence: String) { writeError(Data("larder: \(sentence)\n".utf8)) }
}
