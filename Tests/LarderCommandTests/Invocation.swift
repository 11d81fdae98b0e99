#if Command
import Foundation
import LarderCore
import Synchronization

@testable import LarderCommand

/// The result of running a command line in this process.
struct Invocation {
    let status: Int32
    let output: String
    let complaint: String
    /// The output as it was written, which need not be text.
    let bytes: Data

    /// Collects the output that a command has written so far.
    final class Streams: Sendable {
        private let bytes = Mutex((output: Data(), error: Data()))

        func write(_ data: Data) { bytes.withLock { $0.output += data } }
        func writeError(_ data: Data) { bytes.withLock { $0.error += data } }
        var output: String { bytes.withLock { String(decoding: $0.output, as: UTF8.self) } }
        var outputBytes: Data { bytes.withLock(\.output) }
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
        // Stores also report damage as issues, but the tests check only the command's own output.
        status = withIssueHandler({ _ in }) { Program.run(arguments, console: console) }
        output = streams.output
        complaint = streams.complaint
        bytes = streams.outputBytes
    }

    /// Returns the JSON object that the command has printed.
    func object() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
    }
}

/// Runs `body` with the path of a device store that has 300 entries and whose log also contains overwritten values.
func withDeviceStore<Result>(_ body: (_ path: String, _ folder: URL) throws -> Result) throws -> Result {
    try withFolder { folder in
        let path = folder.appending(path: "s.larder").path
        try fill(path)
        return try body(path, folder)
    }
}
#endif
