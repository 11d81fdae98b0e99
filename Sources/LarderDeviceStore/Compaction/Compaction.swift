import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that compact a log.
///
/// A compaction writes the current entries to a new file and replaces the log with that file. See "Compaction" in `device-log-v1.md`.
enum Compaction {
    /// Compacts the log at a caller's request.
    static func runOnRequest(_ entrance: inout Entrance) throws {
        try check(run(.requested, &entrance), entrance.place.path)
    }

    /// Compacts the log at a caller's request and reports progress.
    ///
    /// If the handler cancels the compaction, runs the one that commits have deferred meanwhile.
    static func runOnRequest(telling progress: (StoreProgress) throws -> Void, _ entrance: inout Entrance) throws {
        var isCanceled = false
        func tell(_ new: StoreProgress) throws {
            do { try progress(new) } catch {
                isCanceled = true
                throw error
            }
        }
        do {
            let result = try run(.requested, &entrance) { entrance, body in
                try entrance.compact(telling: tell, body)
            }
            if result != .leftToAnotherCall { runForWaiting(&entrance) }
            try check(result, entrance.place.path)
        } catch {
            if isCanceled { runAfterCancellation(&entrance) }
            throw error
        }
    }

    /// Runs the compaction that commits have deferred while a call with a progress handler was running, unless the store is closed.
    static func runAfterCancellation(_ entrance: inout Entrance) {
        if entrance.life.isUsable { runForWaiting(&entrance) }
    }

    private static func check(_ result: Result, _ path: String) throws {
        switch result {
        case .done, .needless: return
        case .leftToAnotherCall: throw StoreError.maintainedLog(path)
        case .leftToAnotherProcess: throw StoreError.compactedLog(path)
        }
    }

    /// Writes the current entries to a new file and replaces the log with that file.
    ///
    /// - Parameters:
    ///   - reason: The reason for the compaction.
    ///   - entrance: A token that gives access to the engine.
    ///   - acquire: A closure that runs the compaction while no other call in this process copies the log.
    /// - Returns: `.done` if the log was compacted, or the reason why it was not.
    /// - Throws: `StoreError` if the compaction fails, in which case the content of the store is unchanged.
    static func run(
        _ reason: Reason,
        _ entrance: inout Entrance,
        by acquire: (inout Entrance, (inout CompactionTurn) throws -> Result) throws -> Result? = { try $0.compact($1) }
    ) throws -> Result {
        try entrance.checkUsable()
        guard entrance.page != nil else { throw StoreError.readOnlyLog(entrance.place.path) }
        do {
            // Otherwise, a process that lags behind would copy an outdated file.
            if reason == .requested { try Following.follow(&entrance) }
            return try acquire(&entrance) { try run(reason, &$0) } ?? .leftToAnotherCall
        } catch {
            throw StoreError.device(error, entrance.place.path)
        }
    }

    private static func run(_ reason: Reason, _ turn: inout CompactionTurn) throws -> Result {
        guard isPending(reason, &turn) else { return .needless }
        guard let file = try claimNewFile(&turn) else { return .leftToAnotherProcess }
        // If unlocking fails, closing the file releases the lock.
        defer { try? file.unlock() }
        do {
            let isDone = try compact(into: file, reason, &turn)
            turn.schedule.noteSuccess()
            return isDone ? .done : .leftToAnotherProcess
        } catch {
            let place = turn.place
            // If the file can't be removed, the next compaction reuses it.
            try? place.environment.fileSystem.removeNewFile(file, for: place.path)
            throw error
        }
    }

    /// Returns a locked, empty file to compact the log into, or `nil` if another process holds the file's lock.
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

    /// Returns a locked, empty file to compact `log` into, or `nil` if another process holds the file's lock.
    private static func claimNewFile(for log: DeviceLog, _ place: Place) throws -> (any OpenFile)? {
        try Names.checkLinks(of: log, at: place.path)
        return try place.environment.fileSystem.claimNewFile(for: place.path, inPlaceOf: log.file.information())
    }

    /// Compacts the log into `file`, or returns `false` if another process compacted the log first.
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
            // On a full disk, even the removal of expired entries may fail.
            leavingOutExpired: reason != .reclaiming,
            &expired,
            &turn,
            progress: { try $0.tell(StoreProgress(completed: $1, total: start.offset)) }
        )
        try sweep(expired, of: log, &turn)
        guard let (next, synced) = try catchUp(with: log, &position, &copy, &turn) else {
            return try abandon(file, turn.place)
        }
        var successor = next
        // The old mapping is released outside the locks, because unmapping takes time.
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

    /// Copies commits made during the compaction until few remain, and syncs the copy.
    ///
    /// The remaining commits are copied later, while writers are blocked.
    ///
    /// - Returns: The writer's state for the next generation and the position up to which the copy is synced, or `nil` if another process
    ///   has compacted the log.
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
        let isMapped = turn.write { $0.log.tail != nil }
        var successor = try Successor(copy, turn.sharing.control, isMapped: isMapped)
        for _ in 1..<Copying.maximumPasses {
            guard let end = turn.write({ $0.log.log === log ? $0.log.end : nil }) else { return nil }
            let isNear = end.offset - position.offset <= Copying.finalPassSize
            if !isNear { try Copying.copyChanges(of: log, &position, to: end, into: &copy, &turn) }
            if hasConfirmed(log, beyond: synced, turn.page) {
                try copy.synchronize()
                synced = position
            } else if isNear {
                break
            }
            try copy.writeOut(through: &successor.tail)
        }
        return (successor, synced)
    }

    /// The log and the memory mapping that writers use after a compaction.
    ///
    /// Creating them before the log is replaced reduces the time for which writers are blocked.
    private struct Successor {
        let log: DeviceLog
        var tail: MappedTail?

        init(_ copy: borrowing LogCopy, _ control: ControlFile?, isMapped: Bool) throws {
            log = try DeviceLog(
                file: copy.file,
                header: copy.header,
                needsFolderSync: true,
                // The lock is acquired before the file becomes the log, so that a process that opens the file detects the lock.
                owner: control?.acquireOwnerLock(on: copy.file)
            )
            guard isMapped else { return }
            do {
                tail = try MappedTail(of: copy.file, from: copy.end.offset, reservedEnd: copy.size)
            } catch {
                // The next commit retries the mapping, and falls back to a system call.
            }
        }
    }

    /// Returns whether commits after `position` have been reported to any caller as durable.
    ///
    /// These commits must be copied to the new file and synced before the new file replaces the log.
    private static func hasConfirmed(_ log: DeviceLog, beyond position: LogPosition, _ page: ControlPage?) -> Bool {
        guard let word = page?.syncedWord else { return false }
        return word.isOf(generation: log.generation) && word.end > position.offset
    }

    private static func abandon(_ file: any OpenFile, _ place: Place) throws -> Bool {
        try place.environment.fileSystem.removeNewFile(file, for: place.path)
        return false
    }

    /// Commits the removal of the expired entries that the compaction did not copy from `log`.
    ///
    /// Entries that have since been overwritten are not removed. Expiry is not checked again, because the index must match the copy.
    private static func sweep(_ expired: [ExpiredEntry], of log: DeviceLog, _ turn: inout CompactionTurn) throws {
        for start in stride(from: 0, to: expired.count, by: 64) {
            try turn.commit { shared in
                // If another process has replaced the log, the copy will be discarded.
                guard shared.writer.log.log === log else { return }
                try Commit.remove(expired[start..<min(start + 64, expired.count)], &shared)
            }
        }
    }

    /// Replaces the log with the finished copy.
    private static func switchOver(
        to copy: borrowing LogCopy,
        _ successor: Successor,
        _ shared: inout SharedTurn
    ) throws {
        let (place, log) = (shared.place, successor.log)
        guard let page = shared.page else { throw StoreError.readOnlyLog(place.path) }
        // A store that was removed must not reappear, and a file put in its place must not be overwritten.
        guard try Names.areInPlace(shared.writer.log.log, &shared.writer) else {
            throw Failing.notInPlace(&shared.writer)
        }
        try Names.checkLinks(of: shared.writer.log.log, at: place.path)
        // Another program may have created a hard link to the copy.
        try Names.checkLinks(of: log, at: place.path)
        // From here on, other processes must expect that another file has replaced the log.
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

    /// Rewrites the entire log as a new generation in a single step.
    ///
    /// Writers in all processes are blocked until the new generation has replaced the log.
    static func rewrite(_ shared: inout SharedTurn) throws {
        let former = shared.writer.log.log
        guard let file = try claimNewFile(for: former, shared.place) else {
            throw StoreError.busyLog(shared.place.path, holder: 0)
        }
        // If unlocking fails, closing the file releases the lock.
        defer { try? file.unlock() }
        var copy = LogCopy(to: file, former.nextHeader)
        var position = LogPosition.beginning
        try Copying.copyEntries(of: former, &position, to: shared.writer.log.end.offset, into: &copy, &shared)
        try copy.settle(reserving: shared.writer.liveBytes)
        let successor = try Successor(copy, shared.sharing.control, isMapped: false)
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
    /// Creates a header with a random file identifier for a new store.
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
