import LarderCore
import LarderFiles
import Synchronization

/// The end of writing, and of reading where that can't go on, for good: until the store is opened anew.
enum Failing {
    /// Notes why nothing more may be written.
    ///
    /// The one function that does. Processes with another control file need not wait for one that writes nothing more, unless it has to
    /// tell them that the disk did not confirm its log: see ``passOn(_:)``.
    static func end(_ writer: inout WriterTurn, with failure: StoreError, isUnconfirmed: Bool = false) -> StoreError {
        if isUnconfirmed { writer.unconfirmed = writer.log.log.generation }
        writer.failure = failure
        writer.sharing.hasFailed.store(true, ordering: .releasing)
        if writer.unconfirmed == nil { writer.log.log.owner?.release() }
        return failure
    }

    /// The same, and every later read follows, and finds out: other processes may commit without changing the word that it would look at.
    private static func endReading(
        _ writer: inout WriterTurn,
        with failure: StoreError,
        isUnconfirmed: Bool = false
    ) -> StoreError {
        _ = end(&writer, with: failure, isUnconfirmed: isUnconfirmed)
        writer.change { index, _ in index.word = .lost }
        Observers.publishMissed(1, &writer)
        return failure
    }

    // MARK: The disk

    /// What a sync of the log or its folder that failed means: no process writes anything more, for the disk must not be asked
    /// once more; unless it was not asked at all.
    static func failedSync(_ error: any Error, _ writer: inout WriterTurn) -> StoreError {
        let path = writer.place.path
        if let error = error as? FileError, error.operation != .synchronize { return .device(error, path) }
        poison(&writer, error)
        return .failedDevice(error, path)
    }

    /// Notes, here and for all processes, that the disk has failed under the store.
    static func poison(_ writer: inout WriterTurn, _ error: any Error) {
        if writer.failure == nil {
            _ = end(&writer, with: .poisoned(writer.place.path, by: error), isUnconfirmed: true)
        }
        writer.page?.noteFailure(of: writer.log.log.generation)
    }

    /// Notes, here and for all processes, that the log is not what was written to it.
    static func noteChange(_ change: StoreError, _ writer: inout WriterTurn) -> StoreError {
        if let failure = writer.failure { return failure }
        _ = end(&writer, with: change)
        writer.page?.noteFailure()
        return change
    }

    /// Syncs what this process wrote within the last second, which no other call will.
    ///
    /// - Returns: Why the disk did not confirm it, if it did not.
    private static func syncForTheLastTime(_ writer: inout WriterTurn) -> (any Error)? {
        do {
            try Syncing.syncFile(writer.log.log, &writer)
        } catch let error as FileError where error.code == .notFound {
            // The folder has moved. The content is synced: that is done first.
            return nil
        } catch {
            return error
        }
        return nil
    }

    // MARK: Other processes

    /// Notes that the page is gone in which processes meet, and releases the file, for which the next opener waits.
    @inline(never)
    static func lose(_ writer: inout WriterTurn) -> StoreError {
        if writer.word == .lost, let failure = writer.failure { return failure }
        var cause: (any Error)?
        do {
            try Syncing.syncFile(writer.log.log, &writer)
        } catch {
            cause = error
        }
        let failure = endReading(&writer, with: .lostControl(writer.place.path, by: cause))
        writer.sharing.control?.close()
        writer.observers.hold(LarderIssue(.degraded, failure.message, underlying: cause))
        return failure
    }

    /// Notes that processes share another file now.
    @inline(never)
    static func leave(_ writer: inout WriterTurn) -> StoreError {
        endReading(
            &writer,
            with: .closedLog(writer.place.path, "was repaired, or replaced by another file, while it was open")
        )
    }

    /// Notes that other processes can't find this one's control file any more, and lets them have the log.
    @inline(never)
    static func displace(_ writer: inout WriterTurn) -> StoreError {
        if writer.word == .lost, let failure = writer.failure { return failure }
        let cause = writer.failure == nil ? syncForTheLastTime(&writer) : nil
        let failure = endReading(
            &writer,
            with: .displacedLog(writer.place.path, by: cause),
            isUnconfirmed: cause != nil
        )
        writer.observers.hold(LarderIssue(.degraded, failure.message, underlying: cause))
        return failure
    }

    /// Notes that the names of log and control file lead elsewhere.
    static func notInPlace(_ writer: inout WriterTurn) -> StoreError {
        let place = writer.place
        if writer.page?.isReplaced(writer.log.log) == true { return leave(&writer) }
        // Where that can't be told, reads might go on with values that are not current.
        let hasControl = try? writer.sharing.control?.isInPlace(beside: place.path, on: place.environment.fileSystem)
        guard hasControl == true else { return displace(&writer) }
        if let failure = writer.failure { return failure }
        let cause = syncForTheLastTime(&writer)
        return end(&writer, with: .closedLog(place.path, "was removed or replaced", by: cause))
    }

    /// Notes a failed sync in the control file that has the name by now, where it is not this process's own, and releases the owner lock.
    ///
    /// A process that opens the store with that control file waits for the lock meanwhile, and then writes everything to another log.
    static func passOn(_ entrance: inout Entrance) {
        guard entrance.sharing.hasFailed.load(ordering: .acquiring), entrance.life.isInItsProcess,
            let control = entrance.sharing.control
        else { return }
        let (log, word, isUnconfirmed) = entrance.write { writer in
            let log = writer.log.log
            let word = StateWord(generation: log.generation, end: writer.log.end.offset)
            return (log, word, writer.unconfirmed == log.generation)
        }
        guard isUnconfirmed else { return }
        let place = entrance.place
        do {
            let there = try place.environment.fileSystem.information(at: place.path, followingLinks: false)
            // Of a log that has another name, or none, no process learns by this one.
            if there?.inode == log.inode, there?.device == log.device {
                guard try !control.isInPlace(beside: place.path, on: place.environment.fileSystem) else { return }
                try note(failureOf: log, word, place)
            }
        } catch {
            // A process that waits for this one must not wait forever, and the next opener syncs what there is.
            entrance.observers.issues.report(
                LarderIssue(
                    .degraded,
                    "The control file of \(place.path) was removed, and that a sync had failed can't be noted in the new one: commits whose sync failed may be missing after a power loss. Write them again.",
                    underlying: error
                )
            )
        }
        entrance.write { writer in
            writer.unconfirmed = nil
            writer.log.log.owner?.release()
        }
    }

    private static func note(failureOf log: DeviceLog, _ word: StateWord, _ place: Place) throws {
        let fileSystem = place.environment.fileSystem
        let header = try LogHeader.read(from: log.file, place.path).header
        let subject = ControlFile.Subject(of: log, boot: try fileSystem.bootBytes())
        let other = try ControlFile(beside: place.path, on: fileSystem)
        defer { other.close() }
        try other.lockForOpening(place.environment, place.path)
        defer { try? other.unlock() }
        let statement = other.statement(of: subject, generation: header.generation)
        Opening.noteFailure(other, subject, statement, word, header)
    }
}
