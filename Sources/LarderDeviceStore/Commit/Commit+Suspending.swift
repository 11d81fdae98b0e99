import LarderCore
import LarderFiles
import Synchronization

// The suspending form of a commit. Swift has a thread for each processor, which no task may occupy while it waits.
extension Commit {
    /// Carries out `batch`: here, where nothing has to be waited for, else on a thread that may wait.
    ///
    /// - Returns: As ``run(_:until:isToBeSynced:_:)``, which it equals in everything else as well.
    static func run(_ batch: StoreBatch, isToBeSynced: Bool, in engine: DeviceEngine) async throws -> UInt64? {
        // In a child after `fork` there may be no other thread to ask.
        try engine.enter { try $0.checkUsable() }
        let attempt: Outcome?
        do {
            attempt = try engine.enter { try runAtOnce(batch, isToBeSynced: isToBeSynced, &$0) }
        } catch let error as StoreError where error.code == .diskFull {
            // A compaction may make room.
            attempt = nil
        } catch {
            try await withBlockingWork { engine.enter { Observers.deliver(&$0) } }
            throw error
        }
        guard let outcome = attempt else {
            return try await withBlockingWork {
                try engine.enter { try run(batch, isToBeSynced: isToBeSynced, &$0) }
            }
        }
        let isDue = LogFormat.isCompactionDue(end: outcome.end, live: outcome.live)
        let mustSettle = engine.enter { entrance in
            // An observer may have come since this was begun.
            entrance.observers.isObserved || isDue && !Compaction.isUnderWay(after: outcome, entrance)
        }
        if mustSettle { try await withBlockingWork { engine.enter { settle(outcome, &$0) } } }
        return outcome.number
    }

    /// Carries out `batch` if no lock is held, no other process has written, and there is no observer; otherwise has no effect and returns `nil`.
    private static func runAtOnce(
        _ batch: StoreBatch,
        isToBeSynced: Bool,
        _ entrance: inout Entrance
    ) throws -> Outcome? {
        // Handlers of observers may do anything.
        guard !entrance.observers.isObserved else { return nil }
        if !batch.expectations.isEmpty { try batch.validate() }
        guard entrance.page != nil else { throw StoreError.readOnlyLog(entrance.place.path) }
        return try entrance.commitIfFree { try write(batch, until: nil, isToBeSynced: isToBeSynced, &$0) }
    }
}
