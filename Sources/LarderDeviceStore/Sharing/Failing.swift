import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that handle failures after which a store can't be written until it is reopened.
///
/// After some of these failures, the store can't be read either.
enum Failing {
    /// The failure that prevents writes to the store, if any.
    struct State {
        fileprivate(set) var failure: StoreError?
        /// The generation of the log whose sync failed, or `nil` if no sync failed or other processes have been notified of the failure.
        fileprivate(set) var unconfirmed: UInt64?

        init() {}
    }

    /// Records `failure`, which prevents all further commits, and returns it.
    ///
    /// Releases the owner lock, unless the log could not be synced. After a failed sync, other processes must be notified first. See
    /// ``passOn(_:)``.
    static func end(_ writer: inout WriterTurn, with failure: StoreError, isUnconfirmed: Bool = false) -> StoreError {
        if isUnconfirmed { writer.failing.unconfirmed = writer.log.log.generation }
        writer.failing.failure = failure
        writer.sharing.hasFailed.store(true, ordering: .releasing)
        if writer.failing.unconfirmed == nil { writer.log.log.owner?.release() }
        return failure
    }

    /// Records `failure`, which prevents all further commits, and makes later reads fail too.
    ///
    /// Otherwise, reads might miss commits made by other processes.
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

    /// Handles a failed sync of the log or its folder, and returns the error to throw.
    ///
    /// After a failed sync, no process may write to the log, because a retried sync may falsely report success. The store remains usable
    /// after an error that occurred before the sync.
    static func failedSync(_ error: any Error, _ writer: inout WriterTurn) -> StoreError {
        let path = writer.place.path
        if let error = error as? FileError, error.operation != .synchronize { return .device(error, path) }
        poison(&writer, error)
        return .failedDevice(error, path)
    }

    /// Records, in this process and for all other processes, a disk error that prevents further commits.
    static func poison(_ writer: inout WriterTurn, _ error: any Error) {
        if writer.failure == nil {
            _ = end(&writer, with: .poisoned(writer.place.path, by: error), isUnconfirmed: true)
        }
        writer.page?.noteFailure(of: writer.log.log.generation)
    }

    /// Records, in this process and for all other processes, that another program has changed the log, and returns the error to throw.
    static func noteChange(_ change: StoreError, _ writer: inout WriterTurn) -> StoreError {
        if let failure = writer.failure { return failure }
        _ = end(&writer, with: change)
        writer.page?.noteFailure()
        return change
    }

    /// Syncs the commits that this process made within the last second, because no later call syncs them.
    ///
    /// - Returns: The error if the sync failed, or `nil` otherwise.
    private static func syncBeforeFailure(_ writer: inout WriterTurn) -> (any Error)? {
        do {
            try Syncing.syncFile(writer.log.log, &writer)
        } catch let error as FileError where error.code == .notFound {
            // The folder was moved, but the content had already been synced.
            return nil
        } catch {
            return error
        }
        return nil
    }

    // MARK: Other processes

    /// Records that the shared-memory control page is lost, closes the control file, and returns the error to throw.
    ///
    /// After the control file is closed, another process can open the store.
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

    /// Records that another file has replaced the log file, and returns the error to throw.
    static func leave(_ writer: inout WriterTurn) -> StoreError {
        endReading(
            &writer,
            with: .closedLog(writer.place.path, "was repaired or replaced by another file while it was open")
        )
    }

    /// Records that the control file is no longer at its path, and returns the error to throw.
    ///
    /// Unless a sync fails, processes with a new control file can then write to the log.
    static func displace(_ writer: inout WriterTurn) -> StoreError {
        if writer.word == .lost, let failure = writer.failure { return failure }
        let cause = writer.failure == nil ? syncBeforeFailure(&writer) : nil
        let failure = endReading(
            &writer,
            with: .displacedLog(writer.place.path, by: cause),
            isUnconfirmed: cause != nil
        )
        writer.observers.hold(LarderIssue(.degraded, failure.message, underlying: cause))
        return failure
    }

    /// Records that the path of the log or of the control file no longer refers to the open file, and returns the error to throw.
    static func notInPlace(_ writer: inout WriterTurn) -> StoreError {
        let place = writer.place
        if writer.page?.isReplaced(writer.log.log) == true { return leave(&writer) }
        // An error is treated like a missing control file, because reads might otherwise return outdated values.
        let hasControl = try? writer.sharing.control?.isInPlace(beside: place.path, on: place.environment.fileSystem)
        guard hasControl == true else { return displace(&writer) }
        if let failure = writer.failure { return failure }
        let cause = syncBeforeFailure(&writer)
        return end(&writer, with: .closedLog(place.path, "was removed or replaced", by: cause))
    }

    /// Records a failed sync in the new control file, if this process's control file was replaced, and releases the lock on the log.
    ///
    /// A process that opens the store with the new control file waits for the lock, and then rewrites the log to another file.
    static func passOn(_ entrance: inout Entrance) {
        guard entrance.sharing.hasFailed.load(ordering: .acquiring), entrance.life.isInItsProcess,
            let control = entrance.sharing.control
        else { return }
        let (log, word, isUnconfirmed) = entrance.write { writer in
            let log = writer.log.log
            let word = StateWord(generation: log.generation, end: writer.log.end.offset)
            return (log, word, writer.failing.unconfirmed == log.generation)
        }
        guard isUnconfirmed else { return }
        let place = entrance.place
        do {
            let there = try place.environment.fileSystem.information(at: place.path, followingLinks: false)
            // If the path no longer refers to the log, no process opens the log by this path.
            if there?.inode == log.inode, there?.device == log.device {
                guard try !control.isInPlace(beside: place.path, on: place.environment.fileSystem) else { return }
                try note(failureOf: log, word, place)
            }
        } catch {
            // The lock on the log is released anyway, so that no process waits forever. The next process that opens the store syncs the
            // log.
            entrance.observers.issues.report(
                LarderIssue(
                    .degraded,
                    "The control file of the store \(place.path.debugDescription) was removed, and other processes could not be notified of a failed sync. Write the most recent values again, because a power loss may undo recent commits.",
                    underlying: error
                )
            )
        }
        entrance.write { writer in
            writer.failing.unconfirmed = nil
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
