import LarderCore
import LarderFiles
import Synchronization

/// A namespace for the periodic maintenance of an open store.
enum Maintenance {
    /// Delivers commits made by other processes to observers, syncs all unsynced commits, and compacts the log if enough entries have
    /// expired.
    static func run(_ entrance: inout Entrance) {
        Observers.deliver(&entrance)
        if entrance.life.isInItsProcess { Watching.watchIfObserved(&entrance) }
        defer { Failing.passOn(&entrance) }
        guard
            let page = entrance.page, entrance.life.isInItsProcess, entrance.write({ $0.failure == nil })
        else { return }
        do {
            // Observers may not have been notified of commits read during a sync or compaction.
            defer { Observers.deliver(&entrance) }
            let word = entrance.stateWord.pointee.load(ordering: .acquiring)
            let (known, log) = entrance.look { ($0.word, $0.log) }
            if word != known.rawValue { try Following.follow(&entrance) }
            guard try !Names.areLost(log, &entrance) else { return }
            if page.syncedWord.rawValue != word || entrance.write({ $0.log.mark < $0.log.end.offset }) {
                try Syncing.flushAndMark(&entrance)
            } else {
                try ContentCheck.run(&entrance)
            }
            Compaction.runForExpired(&entrance)
        } catch {
            // An error that only says that the store is closed is not reported. A failed disk is reported.
            let isOfClosing = (error as? StoreError)?.code == .closed || (error as? FileError)?.code == .closed
            if !entrance.life.isUsable, isOfClosing { return }
            let path = entrance.place.path
            let issue = LarderIssue(
                .degraded,
                "The store \(path.debugDescription) could not be synced in time, so its most recent commits may be lost if the power fails. Check the disk for errors and free space.",
                underlying: error
            )
            entrance.observers.issues.report(issue)
        }
    }
}
