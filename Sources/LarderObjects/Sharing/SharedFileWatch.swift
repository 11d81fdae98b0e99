#if Objects
internal import LarderCore
package import LarderFiles
internal import Synchronization

/// A watch of a database's write-ahead log that runs a closure after any connection, in any process, has committed.
///
/// The closure runs at once when the log is written, and again 20 ms later at the earliest. SQLite writes to the log before a commit becomes
/// visible, so the closure also runs a few times after the last write, with growing pauses, and until no writer holds the lock for writers.
/// While the log is idle, nothing runs.
///
/// A system does not report what another machine writes to a network volume. On such a volume, the closure also runs every 500 ms.
package final class SharedFileWatch: Sendable {
    /// The time between two runs if the log can't be watched, or if another machine may write to it.
    private static let pollingInterval = Duration.milliseconds(500)

    private let follower: CommitFollower
    private let watch: FileWatch?
    private let polling: BackgroundThreads.Repetition?

    /// The error that prevents watching the log, or `nil` if the log is watched.
    ///
    /// If there is an error, the closure runs every 500 ms instead.
    package let failure: (any Error)?

    /// Starts watching the log.
    ///
    /// - Parameters:
    ///   - log: The path of the log, which must exist.
    ///   - files: The file system that contains the log.
    ///   - isWriting: A closure that returns whether a writer may have written to the log without having made its commit visible.
    ///   - read: A closure that reads what was committed. It is called on background threads, and calls do not overlap.
    /// - Throws: ``FileError`` with code `tooManyThreads` if the log can be neither watched nor polled.
    package init(
        log: String,
        files: any FileSystem,
        isWriting: @escaping @Sendable () -> Bool = { false },
        read: @escaping @Sendable () -> Void
    ) throws {
        let follower = CommitFollower(isWriting: isWriting, read)
        self.follower = follower
        let mustPoll: Bool
        switch Result(catching: {
            (try files.watch(log) { follower.noteWrite() }, try Self.mayBeWrittenElsewhere(log, files))
        }) {
        case .success((let watch, let isShared)): (self.watch, failure, mustPoll) = (watch, nil, isShared)
        case .failure(let error): (watch, failure, mustPoll) = (nil, error, true)
        }
        polling =
            mustPoll ? try BackgroundThreads.shared.repeat(every: Self.pollingInterval) { follower.poll() } : nil
    }

    /// Returns whether another machine may write to a file, of which the system does not tell.
    private static func mayBeWrittenElsewhere(_ path: String, _ files: any FileSystem) throws -> Bool {
        let volume = try files.volume(at: FilePath.folder(of: path))
        // A file system in user space may be on a network.
        return volume.isNetwork == true || volume.name == "fuse"
    }

    deinit { end() }

    /// Whether the closure is running, or will run again without a further write.
    package var isFollowing: Bool { polling != nil || follower.isFollowing }

    /// Runs the closure as after a write.
    ///
    /// If the log is polled, the call has no effect.
    package func noteWrite() { if watch != nil { follower.noteWrite() } }

    /// Ends the watch.
    ///
    /// If the closure is running on another thread, that run completes.
    package func end() {
        watch?.end()
        polling?.end()
        follower.end()
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
    private let isWriting: @Sendable () -> Bool
    /// The closure, which one thread at a time may run.
    private let reading: Mutex<@Sendable () -> Void>
    private let wake = ThreadSemaphore()

    init(isWriting: @escaping @Sendable () -> Bool, _ read: @escaping @Sendable () -> Void) {
        self.isWriting = isWriting
        reading = Mutex(read)
    }

    private func read() { reading.withLock { $0() } }

    /// Runs the closure once, independently of writes.
    func poll() { read() }

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
            // A writer that releases its lock after this look has made its commit visible to the next run, but maybe not to this one.
            let mayFollow = pause == Self.longestPause && isWriting()
            read()
            CurrentProcess.sleep(for: Self.shortestPause)
            waitForWrite(within: pause - Self.shortestPause)
            guard let next = nextPause(after: pause, mayFollow: mayFollow) else { return }
            pause = next
        }
    }

    /// Returns the pause after the next run, or `nil` after the last run.
    private func nextPause(after pause: Duration, mayFollow: Bool) -> Duration? {
        state.withLock { state in
            if state.isWritten, !state.isEnded { return Self.shortestPause }
            // A commit may become visible long after the last write, if its process has to wait for a sync or for a processor.
            if pause < Self.longestPause, !state.isEnded { return pause * 2 }
            if mayFollow, !state.isEnded { return Self.longestPause }
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
