import LarderCore
import LarderFiles
import Synchronization

// The reasons for a compaction, and the times at which it runs.
extension Compaction {
    /// The reason for a compaction, which determines how much space the compaction must reclaim.
    enum Reason {
        /// The log contains enough reclaimable space for an automatic compaction.
        case due
        /// The file has reached its maximum size, so the committing thread compacts the log itself.
        case inevitable
        /// The disk is full, so even a compaction that reclaims little space is worthwhile.
        case reclaiming
        /// A caller requested the compaction.
        case requested
    }

    /// The result of a compaction.
    enum Result {
        case done
        /// No compaction ran, because it would reclaim too little space.
        case needless
        /// Another call in this process is already compacting or copying the log.
        case leftToAnotherCall
        /// Another process is compacting the log.
        case leftToAnotherProcess
    }

    /// Compacts the log on a background thread, or on the current thread if the store has no automatic maintenance.
    private static func runWhenConvenient(_ entrance: inout Entrance) {
        // A running call with a progress handler checks whether a compaction is due when it ends.
        guard !entrance.schedule.isReporting.load(ordering: .relaxed) else { return }
        guard entrance.place.environment.isAutomatic else {
            runOrReport(.due, &entrance)
            return
        }
        guard entrance.schedule.begin() else { return }
        let engine = entrance.engine
        // If no thread can be started, the log is compacted on the current thread.
        BackgroundThreads.shared.perform {
            engine.enter { entrance in
                runOrReport(.due, &entrance)
                entrance.schedule.end()
            }
        }
    }

    /// Starts or performs a compaction after a commit, if the log has grown enough.
    ///
    /// If the background thread falls behind, the committing thread compacts the log itself, so that the file doesn't exceed its guaranteed
    /// maximum size. Commits that are about to outrun a running compaction are delayed slightly.
    static func runSoon(_ outcome: Commit.Outcome, _ entrance: inout Entrance) {
        if isUnderWay(after: outcome, entrance) { return }
        let pressure = LogFormat.compactionPressure(end: outcome.end, live: outcome.live)
        let environment = entrance.place.environment
        guard !entrance.schedule.isPausing(environment.time) else { return }
        if LogFormat.isCompactionInevitable(end: outcome.end, live: outcome.live) {
            runOrReport(.inevitable, &entrance)
        } else {
            runWhenConvenient(&entrance)
            guard environment.isAutomatic else { return }
            if pressure > 0 { CurrentProcess.pause(for: LogFormat.longestPause * pressure) }
        }
    }

    /// Returns whether an automatic compaction is running and keeps up with the writers, so that commits need no delay.
    static func isUnderWay(after outcome: Commit.Outcome, _ entrance: borrowing Entrance) -> Bool {
        entrance.schedule.isUnderWay && LogFormat.compactionPressure(end: outcome.end, live: outcome.live) == 0
    }

    /// Compacts the log if it contains enough reclaimable space, including the space of expired entries.
    ///
    /// This function runs after opening and during maintenance, because commits don't count expired entries as reclaimable.
    static func runForExpired(_ entrance: inout Entrance) {
        guard entrance.place.environment.compactsExpired else { return }
        guard entrance.look({ $0.entries.expiries.count > 0 }), isPending(.due, &entrance) else { return }
        let time = entrance.place.environment.time
        guard !entrance.schedule.isPausing(time) else { return }
        runWhenConvenient(&entrance)
    }

    /// Runs a compaction that was deferred because a call with a progress handler was running.
    ///
    /// Commits don't start compactions while a call with a progress handler runs.
    static func runForWaiting(_ entrance: inout Entrance) {
        // A read-only store is never compacted.
        guard entrance.page != nil else { return }
        let (end, live) = entrance.look { ($0.word.end, $0.entries.liveBytes) }
        guard LogFormat.isCompactionDue(end: end, live: live) else { return }
        runSoon(Commit.Outcome(number: nil, end: end, live: live), &entrance)
    }

    private static func runOrReport(_ reason: Reason, _ entrance: inout Entrance) {
        let place = entrance.place
        do {
            switch try run(reason, &entrance) {
            case .done, .needless: return
            case .leftToAnotherCall, .leftToAnotherProcess: break
            }
            // Waits briefly for the other compaction.
            if reason == .inevitable, place.environment.isAutomatic {
                CurrentProcess.sleep(for: LogFormat.pauseForOthers)
            }
        } catch {
            // A caller that closes the store does not need this error.
            if !entrance.life.isUsable { return }
            let failure = CompactionFailure(error, place.path)
            guard entrance.schedule.noteFailure(failure, place.environment.time) else { return }
            entrance.observers.issues.report(LarderIssue(.degraded, failure.message, underlying: error))
        }
    }

    /// Returns whether a compaction for the given reason is needed now.
    ///
    /// A compaction repeats this check after it has acquired the lock, because another call may have compacted the log first.
    static func isPending(_ reason: Reason, _ turn: inout some BeforeWriter & ~Copyable) -> Bool {
        let now = turn.place.now
        return switch reason {
        case .due:
            // The writer's lock is required, because this check also advances the expiry calendar of the index.
            turn.write { writer in
                writer.change { index, _ in
                    let expired = index.entries.expiredBytes(by: now)
                    return LogFormat.isCompactionDue(end: index.word.end, live: index.entries.liveBytes - expired)
                }
            }
        case .inevitable:
            turn.look { LogFormat.isCompactionInevitable(end: $0.word.end, live: $0.entries.liveBytes) }
        case .reclaiming: turn.look { canReclaim(end: $0.word.end, live: $0.entries.liveBytes) }
        case .requested: true
        }
    }

    private static func canReclaim(end: Int, live: Int) -> Bool {
        end - LogFormat.headerSize > live + live / 4 + LogFormat.reserve
    }
}
