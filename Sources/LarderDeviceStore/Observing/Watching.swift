import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that notify observers of commits made by other processes without waiting for the timer.
///
/// A background thread waits for changes to the end of the log in shared memory.
enum Watching {
    /// Adds `difference`, which may be negative, to the number of observers.
    static func countObservers(_ difference: Int, _ entrance: inout Entrance) {
        entrance.observers.count(difference)
        // A writer checks for observers after it has held this lock. Therefore, either the writer finds the new observer, or its commit is
        // visible to all later reads of the observer.
        if difference > 0 { entrance.look { _ in } }
        watchIfObserved(&entrance)
    }

    /// Starts a thread that watches for commits made by other processes, if there is an observer.
    ///
    /// If the thread can't be started, the next call retries.
    static func watchIfObserved(_ entrance: inout Entrance) {
        guard
            entrance.observers.isObserved, entrance.place.environment.isAutomatic, let page = entrance.page,
            page.canBeWatched, entrance.observers.beginWatching()
        else { return }
        let engine = entrance.engine
        // The thread runs until there is no observer or the store is closed.
        do {
            try BackgroundThreads.shared.run {
                engine.enter { _ = $0.observers.noteLackOfWatcher(false) }
                watch(engine, page)
                engine.enter { entrance in
                    entrance.observers.endWatching()
                    watchIfObserved(&entrance)
                }
            }
        } catch {
            entrance.observers.endWatching()
            guard entrance.observers.noteLackOfWatcher(true) else { return }
            let path = entrance.place.path
            entrance.observers.issues.report(
                LarderIssue(
                    .degraded,
                    "Observers of the store \(path.debugDescription) receive commits made by other processes up to half a second late, because no thread can be started. Reduce the number of threads in this process; the store retries about twice a second.",
                    underlying: error
                )
            )
        }
    }

    private static func watch(_ engine: DeviceEngine, _ page: ControlPage) {
        while let (known, tick) = engine.enter({ begin(&$0) }) {
            do {
                try page.watch(known, within: tick)
                try engine.enter { entrance in
                    let word = entrance.stateWord.pointee.load(ordering: .acquiring)
                    if word != known, isNeeded(entrance) { try Following.follow(&entrance) }
                }
            } catch {
                // The next reader or writer gets the error. Sleeping avoids a busy loop.
                CurrentProcess.sleep(for: tick)
            }
        }
    }

    /// Returns the log state that the index reflects and the maximum time to wait for the next state, or `nil` if watching must stop.
    private static func begin(_ entrance: inout Entrance) -> (UInt64, Duration)? {
        guard isNeeded(entrance) else { return nil }
        let known = entrance.look { $0.word.rawValue }
        // A sync or compaction by this process may have read commits, and nothing else wakes this thread for them.
        Observers.deliver(&entrance)
        return (known, entrance.place.environment.tick)
    }

    private static func isNeeded(_ entrance: borrowing Entrance) -> Bool {
        entrance.observers.isObserved && entrance.life.isUsable
    }
}
