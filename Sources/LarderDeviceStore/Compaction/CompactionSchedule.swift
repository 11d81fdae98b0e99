import LarderCore
import LarderFiles
import Synchronization

/// The locks and timing for compactions and other operations that copy the log.
struct CompactionSchedule: ~Copyable, Sendable {
    /// A lock that is held while a compaction or another operation copies the log, unless ``isReporting`` is set.
    let mutex = Mutex(())
    /// Whether a call with a progress handler is copying the log.
    ///
    /// The flag is set under ``mutex``, which is not held during the copy.
    let isReporting = Atomic<Bool>(false)
    private let isRunning = Atomic<Bool>(false)
    /// The delay before automatic compactions resume after a failure.
    ///
    /// A separate lock lets commits read the delay while a compaction runs.
    private let pause = Mutex(CompactionPause())

    /// Whether an automatic compaction is running on another thread.
    var isUnderWay: Bool { isRunning.load(ordering: .relaxed) }

    /// Marks an automatic compaction as running.
    ///
    /// Returns `false` if another automatic compaction is already running.
    func begin() -> Bool {
        // Read the flag first, because a fast writer calls this method on every commit.
        !isUnderWay && !isRunning.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Marks the automatic compaction as finished.
    func end() { isRunning.store(false, ordering: .releasing) }

    /// Returns whether the delay after a failed compaction is still in effect.
    func isPausing(_ time: any TimeSource) -> Bool { pause.withLock { $0.isNow(time) } }

    /// Records that a compaction has failed, and returns whether to report the failure.
    func noteFailure(_ failure: CompactionFailure, _ time: any TimeSource) -> Bool {
        pause.withLock { $0.begin(time, after: failure) }
    }

    /// Records that a compaction has succeeded.
    func noteSuccess() { pause.withLock { $0 = CompactionPause() } }

    /// The failure of the last automatic compaction, or `nil` if it succeeded or has not run.
    var failure: CompactionFailure? { pause.withLock { $0.failure } }
}
