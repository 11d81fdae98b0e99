import LarderCore
import LarderFiles
import Synchronization

// The suspending variant of a commit. A task must not block a thread of Swift's cooperative pool while it waits.
extension Commit {
    /// Commits `batch` on the current thread if the commit doesn't have to wait, and otherwise on a background thread.
    ///
    /// - Returns: The same result as the blocking variant, ``run(_:_:)``.
    static func run(_ batch: StoreBatch, isToBeSynced: Bool, in engine: DeviceEngine) async throws -> UInt64? {
        // The check runs on this thread, because a forked child may be unable to start threads.
        try engine.enter { try $0.checkUsable() }
        let attempt: Outcome?
        do {
            attempt = try engine.enter { entrance in
                try batch.withRequest(isToBeSynced: isToBeSynced) { try runAtOnce($0, &entrance) }
            }
        } catch let error as StoreError where error.code == .diskFull {
            // The commit is repeated on a thread that may block, because a compaction may free space.
            attempt = nil
        } catch {
            try await withBlockingWork { engine.enter { Observers.deliver(&$0) } }
            throw error
        }
        guard let outcome = attempt else {
            return try await withBlockingWork {
                try engine.enter { entrance in
                    try batch.withRequest(isToBeSynced: isToBeSynced) { try run($0, &entrance) }
                }
            }
        }
        let isDue = LogFormat.isCompactionDue(end: outcome.end, live: outcome.live)
        let mustSettle = engine.enter { entrance in
            // An observer may have been added since the commit began.
            entrance.observers.isObserved || isDue && !Compaction.isUnderWay(after: outcome, entrance)
        }
        if mustSettle { try await withBlockingWork { engine.enter { settle(outcome, &$0) } } }
        return outcome.number
    }

    /// Commits `request` if that is possible without waiting.
    ///
    /// A commit does not wait if no lock is held, no other process has written, and no observer is registered.
    ///
    /// - Returns: The outcome, or `nil` without committing anything if the commit would have to wait.
    private static func runAtOnce(_ request: CommitRequest, _ entrance: inout Entrance) throws -> Outcome? {
        // The handlers of observers may block.
        guard !entrance.observers.isObserved else { return nil }
        try check(request, &entrance)
        return try entrance.commitIfFree { try write(request, &$0) }
    }
}
