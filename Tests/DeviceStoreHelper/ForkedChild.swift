import Foundation

/// A forked process that waits for a signal to start.
struct ForkedChild {
    private let process: Int32
    private let signal: Pipe

    /// Forks a child that waits until it is started, then runs `body`, and exits with 0 if `body` returns `true`.
    init(_ body: () -> Bool) throws { try self.init(startedBy: Pipe(), body) }

    /// Forks a child that starts when all writers have closed the pipe `signal`, which also happens when they exit.
    init(startedBy signal: Pipe, _ body: () -> Bool) throws {
        self.signal = signal
        // Swift hides fork.
        typealias Fork = @convention(c) () -> Int32
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else { throw Wrong("There is no fork.") }
        process = unsafeBitCast(symbol, to: Fork.self)()
        guard process == 0 else { return }
        // Otherwise, the child would wait for a parent that has ended.
        close(signal.fileHandleForWriting.fileDescriptor)
        var byte: UInt8 = 0
        guard read(signal.fileHandleForReading.fileDescriptor, &byte, 1) == 1 else { _exit(2) }
        _exit(body() ? 0 : 1)
    }

    func start() {
        var byte: UInt8 = 1
        write(signal.fileHandleForWriting.fileDescriptor, &byte, 1)
    }

    /// Starts the child if it has not started, and waits for it to exit.
    func finish() throws {
        start()
        var status: Int32 = -1
        guard waitpid(process, &status, 0) == process, status == 0 else { throw Wrong("The child: \(status).") }
    }
}
