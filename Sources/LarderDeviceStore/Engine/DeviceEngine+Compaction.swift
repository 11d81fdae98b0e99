import LarderCore
import LarderFiles
import Synchronization

// See "Compaction" of `device-log-v1.md`.
extension DeviceEngine {
    /// Why a compaction is made.
    enum CompactionReason {
        /// There is enough to gain.
        case due
        /// Nothing more may be written before.
        case inevitable
        /// The disk is full: anything helps.
        case reclaiming
        /// Somebody asked for it.
        case requested
    }

    /// What came of it.
    enum CompactionResult {
        case done
        /// There is too little to gain.
        case needless
        /// Another call in this process is at it, or copies the log, and is not waited for.
        case leftToAnotherCall
        /// Another process is at it.
        case leftToAnotherProcess
    }

    /// Compacts on another thread, or here and now in a store that does nothing by itself.
    func compactWhenConvenient() {
        // Then it looks itself when it is done.
        guard !isTelling.load(ordering: .relaxed) else { return }
        guard environment.isAutomatic else {
            compactOrReport(.due)
            return
        }
        // Looked at first: a writer that is faster than compaction asks with every commit.
        guard
            !isMaintaining.load(ordering: .relaxed),
            !isMaintaining.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        // Where no thread can be started the writer compacts.
        BackgroundThreads.shared.perform { [self] in
            compactOrReport(.due)
            isMaintaining.store(false, ordering: .releasing)
        }
    }

    /// After a commit that made compaction due: keeps the promise about the size of the file when compaction on another
    /// thread does not keep up.
    ///
    /// A writer that is about to outrun it is slowed down a little with every commit, so that it need not be stopped for long.
    @inline(never)
    func compactSoon(_ outcome: Outcome) {
        if isLeftToCompaction(outcome) { return }
        let pressure = LogFormat.compactionPressure(end: outcome.end, live: outcome.live)
        guard !compactionPause.withLock({ $0.isNow(environment.time) }) else { return }
        if LogFormat.isCompactionInevitable(end: outcome.end, live: outcome.live) {
            compactOrReport(.inevitable)
        } else {
            compactWhenConvenient()
            guard environment.isAutomatic else { return }
            if pressure > 0 { CurrentProcess.pause(for: LogFormat.longestPause * pressure) }
        }
    }

    /// Whether a compaction is under way that the commit need not wait for, which most commits find meanwhile.
    func isLeftToCompaction(_ outcome: Outcome) -> Bool {
        isMaintaining.load(ordering: .relaxed)
            && LogFormat.compactionPressure(end: outcome.end, live: outcome.live) == 0
    }

    /// Compacts where that is due by what has expired, which no commit tells.
    func compactWhatExpired() {
        guard memory.withLock({ $0.index.expiries.count > 0 }), isCompactionPending(.due) else { return }
        guard !compactionPause.withLock({ $0.isNow(environment.time) }) else { return }
        compactWhenConvenient()
    }

    private func compactOrReport(_ reason: CompactionReason) {
        do {
            switch try compact(reason) {
            case .done, .needless: return
            case .leftToAnotherCall, .leftToAnotherProcess: break
            }
            // It needs a moment.
            if reason == .inevitable, environment.isAutomatic { CurrentProcess.sleep(for: LogFormat.pauseForOthers) }
        } catch {
            // Whoever closes the store need not hear that it is closed.
            if !isUsable { return }
            let failure = CompactionFailure(error, path)
            guard compactionPause.withLock({ $0.begin(environment.time, after: failure) }) else { return }
            issues.report(LarderIssue(.degraded, failure.message, underlying: error))
        }
    }

    private func isCompactionPending(_ reason: CompactionReason) -> Bool {
        memory.withLock { memory in
            let (end, live) = (memory.word.end, memory.index.liveBytes)
            return switch reason {
            case .due: LogFormat.isCompactionDue(end: end, live: live - memory.index.expiredBytes(by: now))
            case .inevitable: LogFormat.isCompactionInevitable(end: end, live: live)
            case .reclaiming: end - LogFormat.headerSize > live + live / 4 + LogFormat.reserve
            case .requested: true
            }
        }
    }

    /// Compacts because somebody asked for it; `progress` is called only when `isTold`.
    func compactAsAsked(isTold: Bool, progress: @Sendable (StoreProgress) -> Void = { _ in }) throws {
        switch try compact(.requested, isTold: isTold, progress: progress) {
        case .done, .needless: return
        case .leftToAnotherCall: throw StoreError.maintainedLog(path)
        case .leftToAnotherProcess: throw StoreError.compactedLog(path)
        }
    }

    /// Makes a new file of what is current and puts it in the place of the old one.
    ///
    /// - Parameters:
    ///   - reason: Why.
    ///   - isTold: Whether `progress` is a caller's.
    ///   - progress: Told how far it is.
    /// - Returns: Whether it did, or why not.
    /// - Throws: ``StoreError``; then the log is as it was.
    func compact(
        _ reason: CompactionReason,
        isTold: Bool = false,
        progress: @Sendable (StoreProgress) -> Void = { _ in }
    ) throws -> CompactionResult {
        try checkUsable()
        guard control != nil else { throw StoreError.readOnlyLog(path) }
        do {
            // A process that another one left behind would find at the end that its copy is of a file of the past.
            if reason == .requested { try followOthers() }
            let result = try maintaining(isTold: isTold) { () -> CompactionResult in
                guard isCompactionPending(reason) else { return .needless }
                guard let file = try claimNewFile() else { return .leftToAnotherProcess }
                // The file is closed soon after, which lets go for sure.
                defer { try? file.unlock() }
                do {
                    let isDone = try compact(into: file, reason, progress)
                    compactionPause.withLock { $0 = CompactionPause() }
                    return isDone ? .done : .leftToAnotherProcess
                } catch {
                    // Should it stay, the next compaction begins it anew.
                    try? environment.fileSystem.removeNewFile(file, for: path)
                    throw error
                }
            }
            return result ?? .leftToAnotherCall
        } catch {
            throw StoreError.device(error, path)
        }
    }

    /// The empty file to compact the log into, its lock held; `nil` when another process has it.
    private func claimNewFile() throws -> (any OpenFile)? {
        let log = writer.withLock { $0.log }
        do {
            return try claimNewFile(for: log)
        } catch let error as FileError where error.code == .notFound {
            // The folder was removed or renamed.
            guard let control, try hasLostItsPlace(control, log) else { throw error }
            throw writer.withLock { $0.failure } ?? StoreError.device(error, path)
        }
    }

    /// The empty file to compact `log` into, its lock held; `nil` when another process has it.
    private func claimNewFile(for log: DeviceLog) throws -> (any OpenFile)? {
        try checkLinks(of: log)
        return try environment.fileSystem.claimNewFile(for: path, inPlaceOf: log.file.information())
    }

    /// Whether it did: not when another process was faster.
    private func compact(
        into file: any OpenFile,
        _ reason: CompactionReason,
        _ progress: @Sendable (StoreProgress) -> Void
    ) throws -> Bool {
        let (log, start) = writer.withLock { ($0.log, $0.end) }
        var copy = LogCopy(to: file, log.nextHeader)
        var position = LogReader.Stop.beginning
        var expired: [ExpiredEntry] = []
        try copyEntries(
            of: log,
            &position,
            to: start.offset,
            into: &copy,
            // On a full disk not even the removal of what has expired can be counted on.
            leavingOutExpired: reason != .reclaiming,
            &expired,
            progress: { progress(StoreProgress(completed: $0, total: start.offset)) }
        )
        try sweep(expired, of: log)
        guard let (next, synced) = try catchUp(with: log, &position, &copy) else { return try abandon(file) }
        var successor = next
        // Let go of when no lock is held: unmapping takes time.
        let (isDone, oldTail) = try withBothLocks { writer -> (Bool, MappedTail?) in
            guard writer.log === log else { return (false, nil) }
            try copyChanges(of: log, &position, to: writer.end, into: &copy)
            if hasConfirmed(log, beyond: synced) {
                try copy.synchronize()
            } else {
                try copy.writeOut(through: &successor.tail)
            }
            let tail = writer.tail
            try switchOver(to: copy, successor, &writer)
            return (true, tail)
        }
        withExtendedLifetime(oldTail) {}
        guard isDone else { return try abandon(file) }
        log.owner?.release()
        try syncFolderAfterSwitch()
        return true
    }

    /// How often to catch up with the writers at most; then they wait for the rest.
    static let mostCatchUps = 12
    /// So much of the log may be copied while writers wait.
    static let leftForTheLock = 2 << 10

    /// Copies what was committed meanwhile, until so little is left that nobody notices waiting for it, and syncs the copy.
    ///
    /// - Returns: What to go on with, and up to where the copy is on the disk; `nil` when another process has compacted the log.
    private func catchUp(
        with log: DeviceLog,
        _ position: inout LogReader.Stop,
        _ copy: inout LogCopy
    ) throws -> (Successor, LogReader.Stop)? {
        guard let end = writer.withLock({ $0.log === log ? $0.end : nil }) else { return nil }
        try copyChanges(of: log, &position, to: end, into: &copy)
        try copy.settle(reserving: memory.withLock { $0.index.liveBytes })
        var synced = position
        let (isMapped, unsynced) = writer.withLock { ($0.tail != nil, unsyncedSize($0)) }
        var successor = try Successor(copy, control, isMapped: isMapped, unsynced: unsynced)
        for _ in 1..<Self.mostCatchUps {
            guard let end = writer.withLock({ $0.log === log ? $0.end : nil }) else { return nil }
            let isNear = end.offset - position.offset <= Self.leftForTheLock
            if !isNear { try copyChanges(of: log, &position, to: end, into: &copy) }
            if hasConfirmed(log, beyond: synced) {
                try copy.synchronize()
                synced = position
            } else if isNear {
                break
            }
            try copy.writeOut(through: &successor.tail)
            try successor.tail?.prepare(behind: copy.end.offset, unsynced: unsynced)
        }
        return (successor, synced)
    }

    /// What writers go on with after a compaction, made before they have to wait for it.
    private struct Successor {
        let log: DeviceLog
        var tail: MappedTail?

        /// `unsynced` is what of the log until now is not on the disk.
        init(_ copy: borrowing LogCopy, _ control: DeviceControl?, isMapped: Bool, unsynced: Int) throws {
            log = try DeviceLog(
                file: copy.file,
                header: copy.header,
                needsFolderSync: true,
                // Before it has the name of the log: a process that opens it then must find that it has an owner.
                owner: control?.acquireOwnerLock(on: copy.file)
            )
            guard isMapped else { return }
            do {
                var tail = try MappedTail(of: copy.file, from: copy.end.offset, reservedEnd: copy.size)
                try tail.prepare(behind: copy.end.offset, unsynced: unsynced)
                self.tail = tail
            } catch {
                // Then the next writer tries, and goes on by system calls if it can't either.
            }
        }
    }

    /// Whether anybody has been told that something behind `position` is on the disk: then it must be in the new file as well
    /// before that takes the place of the old one.
    private func hasConfirmed(_ log: DeviceLog, beyond position: LogReader.Stop) -> Bool {
        guard let control else { return false }
        let word = StateWord(rawValue: control[LogFormat.Control.syncedWord])
        return word.isOf(generation: log.generation) && word.end > position.offset
    }

    private func abandon(_ file: any OpenFile) throws -> Bool {
        try environment.fileSystem.removeNewFile(file, for: path)
        return false
    }

    /// Removes what was left out of the copy of `log`, unless it was set again meanwhile.
    ///
    /// The clock is not asked again: it may have been set back, and what is not in the copy must not be in memory either.
    private func sweep(_ expired: [ExpiredEntry], of log: DeviceLog) throws {
        for start in stride(from: 0, to: expired.count, by: 64) {
            try withBothLocks { writer in
                // Else the copy is of no use either.
                guard writer.log === log else { return }
                try remove(expired[start..<min(start + 64, expired.count)], &writer)
            }
        }
    }

    /// Puts the finished copy in the place of the log, under all locks.
    private func switchOver(to copy: borrowing LogCopy, _ successor: Successor, _ writer: inout Writer) throws {
        guard let control else { throw StoreError.readOnlyLog(path) }
        let log = successor.log
        // What somebody has removed meanwhile is not to come back, nor what was put there to be lost.
        guard try isInPlace(control, writer.log) else { throw notInPlace(&writer) }
        try checkLinks(of: writer.log)
        // A snapshot of hard links may have taken the copy along.
        try checkLinks(of: log)
        // Whoever finds this knows that the log may be another file already.
        control[LogFormat.Control.pendingEnd] = LogFormat.Control.pendingSwitch
        do {
            try environment.fileSystem.rename(path + LogFormat.newSuffix, to: path)
        } catch {
            control[LogFormat.Control.pendingEnd] = 0
            throw error
        }
        log.file.noteRename(to: path)
        writer.begin(log, at: copy.end, mark: copy.header.syncedMark, reserved: copy.size)
        writer.allocatedEnd = copy.size
        writer.tail = successor.tail
        writer.word = StateWord(generation: log.generation, end: copy.end.offset)
        control[LogFormat.Control.inodeField] = log.inode
        control[LogFormat.Control.deviceField] = log.device
        let word = writer.word
        memory.withLock { memory in
            memory.index.turnOver()
            memory.log = log
            (memory.lastFrame, memory.checkedFrame) = (0..<0, 0..<0)
            memory.word = word
            stateWord.pointee.store(word.rawValue, ordering: .releasing)
        }
        control[LogFormat.Control.pendingEnd] = 0
    }

    private func syncFolderAfterSwitch() throws {
        do {
            try syncName(of: memory.withLock { $0.log })
        } catch {
            throw writer.withLock { failedSync(error, &$0) }
        }
    }

    /// Writes everything to a new generation at once, while nobody else can do anything.
    func rewrite(_ writer: inout Writer) throws {
        let former = writer.log
        guard let file = try claimNewFile(for: former) else { throw StoreError.busyLog(path, holder: 0) }
        // As above.
        defer { try? file.unlock() }
        var copy = LogCopy(to: file, writer.log.nextHeader)
        var position = LogReader.Stop.beginning
        try copyEntries(of: writer.log, &position, to: writer.end.offset, into: &copy)
        try copy.settle(reserving: writer.live)
        try switchOver(to: copy, Successor(copy, control, isMapped: false, unsynced: 0), &writer)
        former.owner?.release()
        try syncing(&writer) { try syncName(of: $0) }
        syncs.note(0)
    }
}

extension DeviceLog {
    /// The header of the next generation of this log.
    var nextHeader: LogHeader {
        LogHeader(
            fileIdentifier: fileIdentifier,
            generation: generation &+ 1,
            slotNumber: 1,
            snapshotEnd: LogFormat.headerSize,
            syncedMark: LogFormat.headerSize
        )
    }
}

extension LogHeader {
    /// The header of a new store.
    static func new() -> LogHeader {
        var generator = SystemRandomNumberGenerator()
        var identifier: [UInt8] = []
        identifier.append(littleEndian: generator.next())
        identifier.append(littleEndian: generator.next())
        return LogHeader(
            fileIdentifier: identifier,
            generation: 1,
            slotNumber: 1,
            snapshotEnd: LogFormat.headerSize,
            syncedMark: LogFormat.headerSize
        )
    }
}
