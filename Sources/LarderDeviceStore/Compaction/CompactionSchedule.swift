import LarderCore
import LarderFiles
import Synchronization

/// Who copies the log, and when it is compacted.
struct CompactionSchedule: ~Copyable, Sendable {
    /// Held by what copies the log, unless it ``isTelling``.
    let mutex = Mutex(())
    /// Whether the log is being copied by a call that notifies a caller of its progress; set under ``mutex``, which is not held
    /// meanwhile.
    let isTelling = Atomic<Bool>(false)
    private let isRunning = Atomic<Bool>(false)
    /// Kept apart: asked by commits while a compaction runs.
    private let pause = Mutex(CompactionPause())

    /// Whether a compaction that was due is being made on another thread.
    var isUnderWay: Bool { isRunning.load(ordering: .relaxed) }

    /// Notes that a compaction that is due is being made; `false` if one is already.
    func begin() -> Bool {
        // Looked at first: a writer that is faster than compaction asks with every commit.
        !isUnderWay && !isRunning.exchange(true, ordering: .acquiringAndReleasing)
    }

    /// Notes that it has ended.
    func end() { isRunning.store(false, ordering: .releasing) }

    /// Whether it is too early to try again after a failure.
    func isPausing(_ time: any TimeSource) -> Bool { pause.withLock { $0.isNow(time) } }

    /// Notes that a compaction has failed; returns whether that is to be reported.
    func noteFailure(_ failure: CompactionFailure, _ time: any TimeSource) -> Bool {
        pause.withLock { $0.begin(time, after: failure) }
    }

    /// Notes that a compaction has succeeded.
    func noteSuccess() { pause.withLock { $0 = CompactionPause() } }

    /// Why the last compaction that was due failed; `nil` if it succeeded or none was due.
    var failure: CompactionFailure? { pause.withLock { $0.failure } }
}
