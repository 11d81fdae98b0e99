import LarderCore
import LarderFiles
import Synchronization

/// What is done from time to time while a store is open.
enum Maintenance {
    /// Reads other processes' commits for observers, and syncs what is not on the disk, whichever process wrote it.
    static func run(_ entrance: inout Entrance) {
        Observers.deliver(&entrance)
        if entrance.life.isInItsProcess { Watching.watchIfObserved(&entrance) }
        defer { Failing.passOn(&entrance) }
        guard
            let page = entrance.page, entrance.life.isInItsProcess, entrance.write({ $0.failure == nil })
        else { return }
        do {
            // Of what a sync or a compaction by this process read by the way no observer may have been notified.
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
            // A caller that closes the store meanwhile need not hear that it is closed; that its disk has failed nobody else may tell.
            let isOfClosing = (error as? StoreError)?.code == .closed || (error as? FileError)?.code == .closed
            if !entrance.life.isUsable, isOfClosing { return }
            let path = entrance.place.path
            let issue = LarderIssue(.degraded, "\(path) could not be synced in time.", underlying: error)
            entrance.observers.issues.report(issue)
        }
    }
}
