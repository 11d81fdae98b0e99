#if Objects
internal import LarderCore
package import LarderFiles
internal import Synchronization

/// A watch of a database's write-ahead log that runs a closure after any connection, in any process, has committed.
///
/// The closure runs at once when the log is written, and again 20 ms later at the earliest. SQLite writes to the log before a commit becomes
/// visible, so the closure also runs a few times after the last write, with growing pauses. While the log is idle, nothing runs.
package final class SharedFileWatch: Sendable {
    /// The time between two runs if the log can't be watched.
    private static let pollingInterval = Duration.milliseconds(500)

    private enum Source {
        case watch(FileWatch, CommitFollower)
        case polling(BackgroundThreads.Repetition)
    }
    private let source: Source

    /// The error that prevents watching the log, or `nil` if the log is watched.
    ///
    /// If there is an error, the closure runs every 500 ms instead.
    package let failure: (any Error)?

    /// Starts watching the log.
    ///
    /// - Parameters:
    ///   - log: The path of the log, which must exist.
    ///   - files: The file system that contains the log.
    ///   - read: A closure that reads what was committed. It is called on background threads, and calls do not overlap.
    /// - Throws: ``FileError`` with code `tooManyThreads` if the log can be neither watched nor polled.
    package init(
        log: String,
        files: any FileSystem,
        read: @escaping @Sendable () -> Void
    ) throws {
        do {
            let follower = CommitFollower(read)
            source = .watch(try files.watch(log) { follower.noteWrite() }, follower)
            failure = nil
        } catch {
            source = .polling(try BackgroundThreads.shared.repeat(every: Self.pollingInterval, read))
            failure = error
        }
    }

    deinit { end() }

    /// Whether the closure is running, or will run again without a further write.
    package var isFollowing: Bool {
        switch source {
        case .watch(_, let follower): follower.isFollowing
        case .polling: true
        }
    }

    /// Ends the watch.
    ///
    /// If the closure is running on another thread, that run completes.
    package func end() {
        switch source {
        case .watch(let watch, let follower):
            watch.end()
            follower.end()
        case .polling(let repetition): repetition.end()
        }
    }
}

/// A thread-safe counter of writes that runs a closure on a background thread after each group of writes.
private final class CommitFollower: Sendable {
    /// The minimum time between two runs.
    private static let shortestPause = Duration.milliseconds(20)
    /// The maximum time between two runs after the last write.
    private static let longestPause = Duration.milliseconds(640)

    private struct State {
        /// Whether the log was written since the last run began.
        var isWritten = false
        /// Whether a thread runs the closure, or waits to run it again.
        var isFollowing = false
        var isEnded = false
    }
    private let state = Mutex(State())
    private let read: @Sendable () -> Void
    private let wake = ThreadSemaphore()

    init(_ read: @escaping @Sendable () -> Void) { self.read = read }

    var isFollowing: Bool { state.withLock(\.isFollowing) }

    func noteWrite() {
        enum Step { case none, wake, start }
        let step = state.withLock { state -> Step in
            guard !state.isEnded, !state.isWritten else { return .none }
            state.isWritten = true
            if state.isFollowing { return .wake }
            state.isFollowing = true
            return .start
        }
        switch step {
        case .none: break
        case .wake: wake.signal()
        case .start:
            do { try BackgroundThreads.shared.run { [self] in follow() } } catch {
                // Without a thread, only this write is followed, because the caller must not be blocked for long.
                state.withLock { ($0.isWritten, $0.isFollowing) = (false, false) }
                read()
            }
        }
    }

    func end() {
        state.withLock { $0.isEnded = true }
        wake.signal()
    }

    /// Runs the closure until there are no more writes.
    private func follow() {
        var pause = Self.shortestPause
        while true {
            state.withLock { $0.isWritten = false }
            read()
            CurrentProcess.sleep(for: Self.shortestPause)
            waitForWrite(within: pause - Self.shortestPause)
            guard let next = nextPause(after: pause) else { return }
            pause = next
        }
    }

    /// Returns the pause after the next run, or `nil` after the last run.
    private func nextPause(after pause: Duration) -> Duration? {
        state.withLock { state in
            if state.isWritten, !state.isEnded { return Self.shortestPause }
            // A commit may become visible long after the last write, if its process has to wait for a sync or for a processor.
            if pause < Self.longestPause, !state.isEnded { return pause * 2 }
            state.isFollowing = false
            return nil
        }
    }

    /// Waits for a write or the end of the watch.
    private func waitForWrite(within limit: Duration) {
        let deadline = ContinuousClock.now + limit
        while !state.withLock({ $0.isWritten || $0.isEnded }) {
            let left = deadline - .now
            guard left > .zero else { return }
            wake.wait(within: left)
        }
    }
}
#endif
