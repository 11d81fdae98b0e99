import LarderCore
import LarderFiles
import Synchronization

/// Commits of other processes reach observers as they are made: a thread of its own sleeps on the shared state word.
enum Watching {
    /// Notes so many observers more.
    static func countObservers(_ difference: Int, _ entrance: inout Entrance) {
        entrance.observers.count(difference)
        // A writer asks whether there is an observer after it has held this lock: either it finds the new observer, or what it did is
        // there for whatever the observer reads from here on.
        if difference > 0 { entrance.look { _ in } }
        watchIfObserved(&entrance)
    }

    /// Sees to it that a thread watches as long as there is an observer: one that could not be started is tried again with each call.
    static func watchIfObserved(_ entrance: inout Entrance) {
        guard
            entrance.observers.isObserved, entrance.place.environment.isAutomatic, let page = entrance.page,
            page.canBeWatched, entrance.observers.beginWatching()
        else { return }
        let engine = entrance.engine
        // Held until there is no observer any more, or the store is closed.
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
                    "Observers of \(path) learn of other processes' commits up to half a second late, because no thread can be started for them: end other threads. The store tries again about twice a second.",
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
                // The next reader or writer is told; meanwhile this must not go round and round.
                CurrentProcess.sleep(for: tick)
            }
        }
    }

    /// What the index reflects, and how long to wait for more; `nil` if nothing is waited for any more.
    private static func begin(_ entrance: inout Entrance) -> (UInt64, Duration)? {
        guard isNeeded(entrance) else { return nil }
        let known = entrance.look { $0.word.rawValue }
        // A sync or a compaction by this process may have read it by the way: then nothing wakes this thread for it any more.
        Observers.deliver(&entrance)
        return (known, entrance.place.environment.tick)
    }

    private static func isNeeded(_ entrance: borrowing Entrance) -> Bool {
        entrance.observers.isObserved && entrance.life.isUsable
    }
}
