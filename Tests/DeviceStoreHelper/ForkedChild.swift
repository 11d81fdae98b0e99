import Foundation

/// A forked process, which waits until it is told to start.
struct ForkedChild {
    private let process: Int32
    private let signal: Pipe

    /// Forks a child that runs `body` once it is told to start, and ends with 0 if `body` returns `true`.
    init(_ body: () -> Bool) throws { try self.init(startedBy: Pipe(), body) }

    /// The same; the end of whoever can write to `signal` ends the child.
    init(startedBy signal: Pipe, _ body: () -> Bool) throws {
        self.signal = signal
        // Swift hides fork.
        typealias Fork = @convention(c) () -> Int32
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else { throw Wrong("There is no fork.") }
        process = unsafeBitCast(symbol, to: Fork.self)()
        guard process == 0 else { return }
        // Else it would wait for a parent that is gone.
        close(signal.fileHandleForWriting.fileDescriptor)
        var byte: UInt8 = 0
        guard read(signal.fileHandleForReading.fileDescriptor, &byte, 1) == 1 else { _exit(2) }
        _exit(body() ? 0 : 1)
    }

    func start() {
        var byte: UInt8 = 1
        write(signal.fileHandleForWriting.fileDescriptor, &byte, 1)
    }

    /// Has it start, if it has not, and waits for its end.
    func finish() throws {
        start()
        var status: Int32 = -1
        guard waitpid(process, &status, 0) == process, status == 0 else { throw Wrong("The child: \(status).") }
    }
}
