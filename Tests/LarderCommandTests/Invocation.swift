#if Command
import Foundation
import LarderCore
import Synchronization

@testable import LarderCommand

/// One command line, carried out by the program's code in this process.
struct Invocation {
    let status: Int32
    let output: String
    let complaint: String

    /// What a command wrote so far, also while it runs.
    final class Streams: Sendable {
        private let bytes = Mutex((output: Data(), error: Data()))

        func write(_ data: Data) { bytes.withLock { $0.output += data } }
        func writeError(_ data: Data) { bytes.withLock { $0.error += data } }
        var output: String { bytes.withLock { String(decoding: $0.output, as: UTF8.self) } }
        var complaint: String { bytes.withLock { String(decoding: $0.error, as: UTF8.self) } }
    }

    init(_ arguments: String..., input: Data = Data(), showsProgress: Bool = false) {
        self.init(arguments, input: input, showsProgress: showsProgress)
    }

    init(
        _ arguments: [String],
        input: Data = Data(),
        showsProgress: Bool = false,
        streams: Streams = Streams()
    ) {
        let console = Console(
            write: { streams.write($0) },
            writeError: { streams.writeError($0) },
            readInput: { input },
            isTerminal: false,
            showsProgress: showsProgress
        )
        // Stores report what a damaged file made them leave out; the tests look at what the command says.
        status = withIssueHandler({ _ in }) { Program.run(arguments, console: console) }
        output = streams.output
        complaint = streams.complaint
    }

    /// The printed JSON object.
    func object() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
    }
}

/// A folder with a device store of some hundred entries, about a third of its file being current.
func withDeviceStore<Result>(_ body: (_ path: String, _ folder: URL) throws -> Result) throws -> Result {
    try withFolder { folder in
        let path = folder.appending(path: "s.larder").path
        try fill(path)
        return try body(path, folder)
    }
}
#endif
