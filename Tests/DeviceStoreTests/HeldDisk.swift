import LarderFiles
import LarderTestSupport
import Synchronization

/// A disk that counts the syncs of each file and can delay the syncs of one file.
final class HeldDisk: ForwardingFileSystem {
    private struct State {
        var isHeld = false
        /// The number of syncs that are delayed at the moment.
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

    /// The number of syncs of the file whose syncs can be delayed.
    var syncs: Int { syncs(of: path) }
    /// Returns the number of syncs of the file at `path`.
    func syncs(of path: String) -> Int { state.withLock { $0.syncs[path, default: 0] } }

    /// Whether a sync is delayed at the moment.
    var isAsked: Bool { state.withLock { $0.waiting > 0 } }

    /// Delays all syncs until ``release(failing:)`` is called.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Lets the delayed syncs continue.
    ///
    /// If `failure` is given, these syncs and all later ones fail.
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
        // Longer than any test waits for a delayed sync.
        try blockUntil(within: .seconds(600), "release") { !state.withLock(\.isHeld) }
        if let failure = state.withLock(\.failure) { throw failure }
    }
}
