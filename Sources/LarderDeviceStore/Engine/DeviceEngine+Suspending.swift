import LarderCore
import LarderFiles
import Synchronization

// The suspending form of a commit. Swift has a thread for each processor, which no task may occupy while it waits.
extension DeviceEngine {
    /// Carries out `batch`: here, where nothing has to be waited for, else on a thread that may wait.
    ///
    /// - Returns: As ``commit(_:until:isToBeSynced:)-(_,_,_)``, which it equals in everything else as well.
    func commit(_ batch: StoreBatch, isToBeSynced: Bool) async throws -> UInt64? {
        // In a child after `fork` there may be no other thread to ask.
        try checkUsable()
        let attempt: Outcome?
        do {
            attempt = try commitAtOnce(batch, isToBeSynced: isToBeSynced)
        } catch let error as StoreError where error.code == .diskFull {
            // A compaction may make room.
            attempt = nil
        } catch {
            try await withBlockingWork { [self] in deliver() }
            throw error
        }
        guard let outcome = attempt else {
            return try await withBlockingWork { [self] in try commit(batch, isToBeSynced: isToBeSynced) }
        }
        let isDue = LogFormat.isCompactionDue(end: outcome.end, live: outcome.live) && !isLeftToCompaction(outcome)
        // Somebody may have come to observe since this was begun.
        if isDue || isObserved {
            try await withBlockingWork { [self] in settle(outcome) }
        }
        return outcome.number
    }

    /// Carries out `batch` if no lock is held, no other process has written, and nobody observes; `nil`, and nothing done, otherwise.
    private func commitAtOnce(_ batch: StoreBatch, isToBeSynced: Bool) throws -> Outcome? {
        // Handlers of observers may do anything.
        guard !isObserved else { return nil }
        if !batch.expectations.isEmpty { try batch.validate() }
        guard control != nil else { throw StoreError.readOnlyLog(path) }
        return try withBothLocksIfFree { try write(batch, until: nil, isToBeSynced: isToBeSynced, &$0) }
    }
}
