import LarderFiles
import LarderTestSupport
import Synchronization

/// A disk that counts the syncs of each file, on which those of one can be held up.
final class HeldDisk: ForwardingFileSystem {
    private struct State {
        var isHeld = false
        /// How many are held up.
        var waiting = 0
        var syncs: [String: Int] = [:]
        var failure: FileError?
    }

    let base: any FileSystem
    private let path: String
    private let state = Mutex(State())

    init(_ base: any FileSystem, _ path: String) {
        self.base = base
        self.path = path
    }

    /// How often the disk was asked for the file whose syncs can be held up.
    var syncs: Int { syncs(of: path) }
    /// How often it was asked for another one.
    func syncs(of path: String) -> Int { state.withLock { $0.syncs[path, default: 0] } }

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
        if operation == .synchronize {
            state.withLock { $0.syncs[path, default: 0] += 1 }
            if path == self.path { try reached() }
        }
        return try body()
    }

    private func reached() throws {
        state.withLock { $0.waiting += 1 }
        defer { state.withLock { $0.waiting -= 1 } }
        // Longer than anybody waits for what is held up by it.
        try blockUntil(within: .seconds(600), "release") { !state.withLock(\.isHeld) }
        if let failure = state.withLock(\.failure) { throw failure }
    }
}
