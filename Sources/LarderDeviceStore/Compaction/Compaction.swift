import LarderCore
import LarderFiles
import Synchronization

/// Making a new file of what is current, and putting it in the place of the old one.
///
/// See "Compaction" of `device-log-v1.md`.
enum Compaction {
    /// Compacts because a caller asked for it.
    static func runAsAsked(_ entrance: inout Entrance) throws {
        try check(run(.requested, &entrance), entrance.place.path)
    }

    /// The same, notifying the caller of its progress.
    static func runAsAsked(telling progress: @Sendable (StoreProgress) -> Void, _ entrance: inout Entrance) throws {
        let result = try run(.requested, &entrance) { entrance, body in
            try entrance.compact(telling: progress, body)
        }
        if result != .leftToAnotherCall { runForWaiting(&entrance) }
        try check(result, entrance.place.path)
    }

    private static func check(_ result: Result, _ path: String) throws {
        switch result {
        case .done, .needless: return
        case .leftToAnotherCall: throw StoreError.maintainedLog(path)
        case .leftToAnotherProcess: throw StoreError.compactedLog(path)
        }
    }

    /// Makes a new file of what is current and puts it in the place of the old one.
    ///
    /// - Parameters:
    ///   - reason: Why.
    ///   - entrance: The call.
    ///   - acquire: Acquires the turn: with or without notifying a caller.
    /// - Returns: Whether it did, or why not.
    /// - Throws: ``StoreError``; then the log is as it was.
    static func run(
        _ reason: Reason,
        _ entrance: inout Entrance,
        by acquire: (inout Entrance, (inout CompactionTurn) throws -> Result) throws -> Result? = { try $0.compact($1) }
    ) throws -> Result {
        try entrance.checkUsable()
        guard entrance.page != nil else { throw StoreError.readOnlyLog(entrance.place.path) }
        do {
            // A process that another one left behind would find at the end that its copy is of a file of the past.
            if reason == .requested { try Following.follow(&entrance) }
            return try acquire(&entrance) { try run(reason, &$0) } ?? .leftToAnotherCall
        } catch {
            throw StoreError.device(error, entrance.place.path)
        }
    }

    private static func run(_ reason: Reason, _ turn: inout CompactionTurn) throws -> Result {
        guard isPending(reason, &turn) else { return .needless }
        guard let file = try claimNewFile(&turn) else { return .leftToAnotherProcess }
        // The file is closed soon after, which releases it for sure.
        defer { try? file.unlock() }
        do {
            let isDone = try compact(into: file, reason, &turn)
            turn.schedule.noteSuccess()
            return isDone ? .done : .leftToAnotherProcess
        } catch {
            let place = turn.place
            // Should it stay, the next compaction begins it anew.
            try? place.environment.fileSystem.removeNewFile(file, for: place.path)
            throw error
        }
    }

    /// The empty file to compact the log into, its lock held; `nil` if another process has it.
    private static func claimNewFile(_ turn: inout CompactionTurn) throws -> (any OpenFile)? {
        let log = turn.write { $0.log.log }
        do {
            return try claimNewFile(for: log, turn.place)
        } catch let error as FileError where error.code == .notFound {
            // The folder was removed or renamed.
            guard try Names.areLost(log, &turn) else { throw error }
            throw turn.write { $0.failure } ?? StoreError.device(error, turn.place.path)
        }
    }

    /// The empty file to compact `log` into, its lock held; `nil` if another process has it.
    private static func claimNewFile(for log: DeviceLog, _ place: Place) throws -> (any OpenFile)? {
        try Names.checkLinks(of: log, at: place.path)
        return try place.environment.fileSystem.claimNewFile(for: place.path, inPlaceOf: log.file.information())
    }

    /// Whether it did: not if another process was faster.
    private static func compact(into file: any OpenFile, _ reason: Reason, _ turn: inout CompactionTurn) throws -> Bool
    {
        let (log, start) = turn.write { ($0.log.log, $0.log.end) }
        var copy = LogCopy(to: file, log.nextHeader)
        var position = LogPosition.beginning
        var expired: [ExpiredEntry] = []
        try Copying.copyEntries(
            of: log,
            &position,
            to: start.offset,
            into: &copy,
            // On a full disk not even the removal of what has expired can be counted on.
            leavingOutExpired: reason != .reclaiming,
            &expired,
            &turn,
            progress: { $0.tell(StoreProgress(completed: $1, total: start.offset)) }
        )
        try sweep(expired, of: log, &turn)
        guard let (next, synced) = try catchUp(with: log, &position, &copy, &turn) else {
            return try abandon(file, turn.place)
        }
        var successor = next
        // Freed when no lock is held: unmapping takes time.
        let (isDone, oldTail) = try turn.commit { shared -> (Bool, MappedTail?) in
            guard shared.writer.log.log === log else { return (false, nil) }
            try Copying.copyChanges(of: log, &position, to: shared.writer.log.end, into: &copy, &shared)
            if hasConfirmed(log, beyond: synced, shared.page) {
                try copy.synchronize()
            } else {
                try copy.writeOut(through: &successor.tail)
            }
            let tail = shared.writer.log.tail
            try switchOver(to: copy, successor, &shared)
            return (true, tail)
        }
        withExtendedLifetime(oldTail) {}
        guard isDone else { return try abandon(file, turn.place) }
        log.owner?.release()
        try syncFolderAfterSwitch(&turn)
        return true
    }

    /// Copies what was committed meanwhile, until so little is left that no writer notices waiting for it, and syncs the copy.
    ///
    /// - Returns: What to go on with, and up to where the copy is on the disk; `nil` if another process has compacted the log.
    private static func catchUp(
        with log: DeviceLog,
        _ position: inout LogPosition,
        _ copy: inout LogCopy,
        _ turn: inout CompactionTurn
    ) throws -> (Successor, LogPosition)? {
        guard let end = turn.write({ $0.log.log === log ? $0.log.end : nil }) else { return nil }
        try Copying.copyChanges(of: log, &position, to: end, into: &copy, &turn)
        try copy.settle(reserving: turn.look { $0.entries.liveBytes })
        var synced = position
        let (isMapped, unsynced) = turn.write { ($0.log.tail != nil, Commit.unsyncedSize($0)) }
        var successor = try Successor(copy, turn.sharing.control, isMapped: isMapped, unsynced: unsynced)
        for _ in 1..<Copying.mostCatchUps {
            guard let end = turn.write({ $0.log.log === log ? $0.log.end : nil }) else { return nil }
            let isNear = end.offset - position.offset <= Copying.leftForTheLock
            if !isNear { try Copying.copyChanges(of: log, &position, to: end, into: &copy, &turn) }
            if hasConfirmed(log, beyond: synced, turn.page) {
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
        init(_ copy: borrowing LogCopy, _ control: ControlFile?, isMapped: Bool, unsynced: Int) throws {
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

    /// Whether a caller has been told that something behind `position` is on the disk: then it must be in the new file as well
    /// before that takes the place of the old one.
    private static func hasConfirmed(_ log: DeviceLog, beyond position: LogPosition, _ page: ControlPage?) -> Bool {
        guard let word = page?.syncedWord else { return false }
        return word.isOf(generation: log.generation) && word.end > position.offset
    }

    private static func abandon(_ file: any OpenFile, _ place: Place) throws -> Bool {
        try place.environment.fileSystem.removeNewFile(file, for: place.path)
        return false
    }

    /// Removes what was left out of the copy of `log`, unless it was set again meanwhile.
    ///
    /// The clock is not asked again: it may have been set back, and what is not in the copy must not be in memory either.
    private static func sweep(_ expired: [ExpiredEntry], of log: DeviceLog, _ turn: inout CompactionTurn) throws {
        for start in stride(from: 0, to: expired.count, by: 64) {
            try turn.commit { shared in
                // Else the copy is of no use either.
                guard shared.writer.log.log === log else { return }
                try Commit.remove(expired[start..<min(start + 64, expired.count)], &shared)
            }
        }
    }

    /// Puts the finished copy in the place of the log.
    private static func switchOver(
        to copy: borrowing LogCopy,
        _ successor: Successor,
        _ shared: inout SharedTurn
    ) throws {
        let (place, log) = (shared.place, successor.log)
        guard let page = shared.page else { throw StoreError.readOnlyLog(place.path) }
        // What somebody has removed meanwhile is not to come back, nor what was put there to be lost.
        guard try Names.areInPlace(shared.writer.log.log, &shared.writer) else {
            throw Failing.notInPlace(&shared.writer)
        }
        try Names.checkLinks(of: shared.writer.log.log, at: place.path)
        // A snapshot of hard links may have taken the copy along.
        try Names.checkLinks(of: log, at: place.path)
        // Whoever finds this knows that the log may be another file already.
        page.pendingEnd = LogFormat.Control.pendingSwitch
        do {
            try place.environment.fileSystem.rename(place.path + LogFormat.newSuffix, to: place.path)
        } catch {
            page.pendingEnd = 0
            throw error
        }
        log.file.noteRename(to: place.path)
        let word = StateWord(generation: log.generation, end: copy.end.offset)
        shared.writer.log.begin(log, at: copy.end, mark: copy.header.syncedMark, reserved: copy.size)
        shared.writer.log.adopt(successor.tail)
        page.noteFile(of: log)
        let stateWord = shared.stateWord
        shared.writer.change { index, _ in
            index.entries.turnOver()
            index.begin(log)
            index.word = word
            stateWord.pointee.store(word.rawValue, ordering: .releasing)
        }
        page.pendingEnd = 0
    }

    private static func syncFolderAfterSwitch(_ turn: inout CompactionTurn) throws {
        do {
            try Syncing.syncName(of: turn.look { $0.log }, &turn)
        } catch {
            throw turn.write { Failing.failedSync(error, &$0) }
        }
    }

    /// Writes everything to a new generation at once, while no other thread or process can do anything.
    static func rewrite(_ shared: inout SharedTurn) throws {
        let former = shared.writer.log.log
        guard let file = try claimNewFile(for: former, shared.place) else {
            throw StoreError.busyLog(shared.place.path, holder: 0)
        }
        // As above.
        defer { try? file.unlock() }
        var copy = LogCopy(to: file, former.nextHeader)
        var position = LogPosition.beginning
        try Copying.copyEntries(of: former, &position, to: shared.writer.log.end.offset, into: &copy, &shared)
        try copy.settle(reserving: shared.writer.liveBytes)
        let successor = try Successor(copy, shared.sharing.control, isMapped: false, unsynced: 0)
        try switchOver(to: copy, successor, &shared)
        former.owner?.release()
        try Syncing.syncOrFail(&shared.writer) { try Syncing.syncName(of: $0.log.log, &$0) }
        shared.syncs.note(0)
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
