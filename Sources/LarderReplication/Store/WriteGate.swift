import LarderFiles
import Synchronization

/// A gate at which the writers of this process wait while they would keep the replicating task from making progress.
///
/// Both sides retry a local commit when the other one was faster. Preparing a local write takes less time than preparing a page of the
/// cluster or a snapshot, so without the gate writers in a loop would always win. The wait is bounded, because an observer may write from
/// within the commit that the gate protects.
final class WriteGate: Sendable {
    private enum Phase {
        static let open = 0
        static let preparing = 1
        static let committing = 2
    }

    private let phase = Atomic<Int>(Phase.open)
    /// The thread that makes the protected commit.
    private let owner = Atomic<UInt32>(0)
    private static let pause = Duration.milliseconds(1)
    /// The maximum numbers of pauses while the commit is prepared, and while it is made.
    private static let mostPauses = (preparing: 10_000, committing: 1_000)

    /// Makes writers wait.
    ///
    /// The caller must not suspend before it calls ``open()``.
    func close() { phase.store(Phase.preparing, ordering: .relaxed) }

    /// Announces the protected commit, during which observers may write on the current thread.
    func beginCommit() {
        owner.store(CurrentThread.number, ordering: .relaxed)
        phase.store(Phase.committing, ordering: .releasing)
    }

    func open() { phase.store(Phase.open, ordering: .relaxed) }

    /// Blocks the current thread while the gate is closed.
    func pass() {
        var pauses = 0
        while true {
            switch phase.load(ordering: .acquiring) {
            case Phase.open: return
            case Phase.preparing: guard pauses < Self.mostPauses.preparing else { return }
            default:
                guard pauses < Self.mostPauses.committing,
                    owner.load(ordering: .relaxed) != CurrentThread.number
                else { return }
            }
            CurrentProcess.sleep(for: Self.pause)
            pauses += 1
        }
    }
}
