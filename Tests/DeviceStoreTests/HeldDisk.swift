import LarderFiles
import LarderTestSupport
import Synchronization

/// A lying disk on which syncs of one file can be held up, and are counted.
final class HeldDisk: ForwardingFileSystem {
    private struct State {
        var isHeld = false
        /// How many are held up.
        var waiting = 0
        var syncs = 0
        var failure: FileError?
    }

    let disk: LyingFileSystem
    var base: any FileSystem { disk }
    private let path: String
    private let state = Mutex(State())

    init(_ disk: LyingFileSystem, _ path: String) {
        self.disk = disk
        self.path = path
    }

    /// How often the disk was asked.
    var syncs: Int { state.withLock(\.syncs) }
    /// Whether somebody asks and is held up.
    var isAsked: Bool { state.withLock { $0.waiting > 0 } }

    /// From here on syncs last until ``release(failing:)``.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Lets go on who is held up, or has it and all later ones fail.
    func release(failing failure: FileError? = nil) {
        state.withLock { state in
            state.isHeld = false
            state.failure = failure
        }
    }

    func calling<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: () throws -> Result
    ) throws -> Result {
        if operation == .synchronize, path == self.path { try reached() }
        return try body()
    }

    private func reached() throws {
        state.withLock { state in
            state.syncs += 1
            state.waiting += 1
        }
        defer { state.withLock { $0.waiting -= 1 } }
        try blockUntil("release") { !state.withLock(\.isHeld) }
        if let failure = state.withLock(\.failure) { throw failure }
    }
}
