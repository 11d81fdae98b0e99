import Foundation

/// A request whose answer never ends, read by a thread of its own.
final class LineReader: @unchecked Sendable {
    // Only the thread of `start` reads from the connection, and `cut` is a system call that is allowed meanwhile.
    private let connection: HTTPConnection

    init(port: UInt16, _ method: String, _ path: String) throws {
        connection = try HTTPConnection(port: port, timeout: 600)
        try connection.send(method, path)
    }

    /// Calls `receive` with each line, and with `nil` at the end of the connection.
    func start(_ receive: @escaping @Sendable (String?) -> Void) {
        Thread.detachNewThread { [self] in
            while let line = connection.line() { receive(line) }
            receive(nil)
        }
    }

    /// Ends the connection.
    ///
    /// What the instance has sent before is still read.
    func cut() { connection.cut() }
}
