import LarderCore
import LarderFiles
import Synchronization

// When the log is compacted, and why.
extension Compaction {
    /// Why a compaction is made.
    enum Reason {
        /// There is enough to gain.
        case due
        /// Nothing more may be written before.
        case inevitable
        /// The disk is full: anything helps.
        case reclaiming
        /// A caller asked for it.
        case requested
    }

    /// What came of it.
    enum Result {
        case done
        /// There is too little to gain.
        case needless
        /// Another call in this process is at it, or copies the log, and is not waited for.
        case leftToAnotherCall
        /// Another process is at it.
        case leftToAnotherProcess
    }

    /// Compacts on another thread, or here and now in a store that does nothing by itself.
    private static func runWhenConvenient(_ entrance: inout Entrance) {
        // Then it looks itself when it is done.
        guard !entrance.schedule.isTelling.load(ordering: .relaxed) else { return }
        guard entrance.place.environment.isAutomatic else {
            runOrReport(.due, &entrance)
            return
        }
        guard entrance.schedule.begin() else { return }
        let engine = entrance.engine
        // Where no thread can be started the writer compacts.
        BackgroundThreads.shared.perform {
            engine.enter { entrance in
                runOrReport(.due, &entrance)
                entrance.schedule.end()
            }
        }
    }

    /// After a commit that made compaction due: keeps the promise about the size of the file if compaction on another
    /// thread does not keep up.
    ///
    /// A writer that is about to outrun it is slowed down a little with every commit, so that it need not be stopped for long.
    @inline(never)
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

    /// Whether a compaction is under way that the commit need not wait for, which most commits find meanwhile.
    static func isUnderWay(after outcome: Commit.Outcome, _ entrance: borrowing Entrance) -> Bool {
        entrance.schedule.isUnderWay && LogFormat.compactionPressure(end: outcome.end, live: outcome.live) == 0
    }

    /// Compacts where that is due by what has expired, which no commit tells.
    static func runForExpired(_ entrance: inout Entrance) {
        guard entrance.look({ $0.entries.expiries.count > 0 }), isPending(.due, &entrance) else { return }
        let time = entrance.place.environment.time
        guard !entrance.schedule.isPausing(time) else { return }
        runWhenConvenient(&entrance)
    }

    /// Compacts if that became due while a call notified a caller of its progress: commits went without.
    static func runForWaiting(_ entrance: inout Entrance) {
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
            // It needs a moment.
            if reason == .inevitable, place.environment.isAutomatic {
                CurrentProcess.sleep(for: LogFormat.pauseForOthers)
            }
        } catch {
            // A caller that closes the store need not hear that it is closed.
            if !entrance.life.isUsable { return }
            let failure = CompactionFailure(error, place.path)
            guard entrance.schedule.noteFailure(failure, place.environment.time) else { return }
            entrance.observers.issues.report(LarderIssue(.degraded, failure.message, underlying: error))
        }
    }

    /// Whether there is a reason; whether it is due is asked again under the turn, for another call may have been faster.
    static func isPending(_ reason: Reason, _ turn: inout some BeforeWriter & ~Copyable) -> Bool {
        let (end, live) = turn.look { ($0.word.end, $0.entries.liveBytes) }
        return switch reason {
        case .due: LogFormat.isCompactionDue(end: end, live: live - expiredBytes(&turn))
        case .inevitable: LogFormat.isCompactionInevitable(end: end, live: live)
        case .reclaiming: end - LogFormat.headerSize > live + live / 4 + LogFormat.reserve
        case .requested: true
        }
    }

    /// What the entries take in a snapshot that have expired by now; see ``DeviceIndex/expiredBytes(by:)``, whose calendar goes on.
    private static func expiredBytes(_ turn: inout some BeforeWriter & ~Copyable) -> Int {
        let now = turn.place.now
        return turn.write { writer in writer.change { index, _ in index.entries.expiredBytes(by: now) } }
    }
}
