import LarderCore
import LarderFiles
import Synchronization

// Which processes may write to a log. See "Owner locks" of `device-log-v1.md`.
extension DeviceEngine {
    /// A log that no process with another control file has open for writing.
    struct OwnedLog {
        let control: DeviceControl
        let file: any OpenFile
        /// Of `file`, since the lock between processes was acquired.
        let information: FileInformation
        let owner: LogOwnerLock?
        let isNew: Bool
    }

    /// How a log stands that was opened by its name.
    enum Ownership {
        /// This process may write to it.
        case owned(LogOwnerLock?, FileInformation)
        /// A process with another control file has it open for writing.
        case contested(FileInformation)
        /// The control file has lost its name.
        case displaced
        /// The log has lost its name.
        case renamed
    }

    /// Opens the control file of the store at `path`, acquires its lock, and opens the log by `open`.
    ///
    /// Waits for processes that have the log open with another control file, as long as the environment allows. They check the names of
    /// both files about twice a second.
    ///
    /// - Returns: The log, with the lock between processes held.
    static func ownLog(
        at path: String,
        _ environment: DeviceEnvironment,
        open: () throws -> (file: any OpenFile, isNew: Bool)
    ) throws -> OwnedLog {
        let fileSystem = environment.fileSystem
        let deadline = environment.time.monotonic + environment.lockLimit
        var control = try DeviceControl(beside: path, on: fileSystem)
        var attempts = 0
        while true {
            try control.lockForOpening(environment, path)
            do {
                let (file, isNew) = try open()
                switch try ownership(of: file, at: path, control, fileSystem) {
                // The name leads to this file: no name at all is what a file system says that does not count them.
                case .owned(let owner, let found) where found.links <= 1:
                    return OwnedLog(control: control, file: file, information: found, owner: owner, isNew: isNew)
                case .owned(let owner, let found):
                    owner?.release()
                    throw StoreError.linkedLog(path, found.links)
                case .contested(let found) where found.links > 1: throw StoreError.linkedLog(path, found.links)
                case .contested:
                    guard environment.time.monotonic < deadline else { throw StoreError.contestedLog(path) }
                case .displaced, .renamed:
                    // Each of these is something that another program did just now.
                    attempts += 1
                    guard attempts < mostAttempts else { throw StoreError.contestedLog(path) }
                }
            } catch {
                // Should that fail, closing the control file releases the lock.
                try? control.unlock()
                throw error
            }
            try control.unlock()
            if try !control.isInPlace(beside: path, on: fileSystem) {
                control.close()
                control = try DeviceControl(beside: path, on: fileSystem)
            } else {
                pauseBeforeRetry()
            }
        }
    }

    /// How often to begin again with other files under the names.
    private static let mostAttempts = 100

    /// Two processes that back off from each other must not come back at the same time.
    private static func pauseBeforeRetry() {
        CurrentProcess.sleep(for: .microseconds(Int.random(in: 1_000...4_000)))
    }

    /// Acquires the owner lock on `file`, which was opened by the name `path`, and makes the checks that have to follow.
    ///
    /// The lock is acquired first: of two processes that do this at least one sees the other.
    private static func ownership(
        of file: any OpenFile,
        at path: String,
        _ control: DeviceControl,
        _ fileSystem: any FileSystem
    ) throws -> Ownership {
        let owner = try control.acquireOwnerLock(on: file)
        var isOwned = false
        defer { if !isOwned { owner?.release() } }
        let isContested = try owner?.isContested() == true
        let mine = try file.information()
        if isContested { return .contested(mine) }
        guard try control.isInPlace(beside: path, on: fileSystem) else { return .displaced }
        let there = try fileSystem.information(at: path, followingLinks: false)
        guard there?.inode == mine.inode, there?.device == mine.device else { return .renamed }
        isOwned = true
        return .owned(owner, mine)
    }

    /// Acquires the owner lock on `file`, which a compaction by another process has put in the place of the log.
    ///
    /// - Returns: `false` if another file has its name by now.
    func own(_ file: any OpenFile, _ writer: inout Writer, _ owner: inout LogOwnerLock?) throws -> Bool {
        // What only reads needs none.
        guard let control, writer.failure == nil else { return true }
        let deadline = environment.time.monotonic + environment.lockLimit
        while true {
            switch try Self.ownership(of: file, at: path, control, environment.fileSystem) {
            // With more than one name it is written to all the same, and not compacted.
            case .owned(let acquired, _):
                owner = acquired
                return true
            case .renamed: return false
            case .displaced: throw displace(&writer)
            case .contested:
                guard try control.isInPlace(beside: path, on: environment.fileSystem) else { throw displace(&writer) }
                // The other process is about to notice that its control file is not in place.
                guard environment.time.monotonic < deadline else { throw StoreError.contestedLog(path) }
                Self.pauseBeforeRetry()
            }
        }
    }

    /// Throws if the log has another name besides its own, which a compaction would leave with the old log.
    func checkLinks(of log: DeviceLog) throws {
        let links = try log.file.information().links
        if links > 1 { throw StoreError.linkedLog(path, links) }
    }

    // MARK: Names

    /// Whether another file lies where `log` or the control file was, or none: then nothing more is written.
    func hasLostItsPlace(_ control: DeviceControl, _ log: DeviceLog) throws -> Bool {
        guard try !isInPlace(control, log) else { return false }
        return writer.withLock { writer in
            guard writer.log === log else { return false }
            // After an orderly close the owner may remove what he likes: that is no news.
            guard isUsable else { return true }
            _ = notInPlace(&writer)
            return true
        }
    }

    /// Whether the names of log and control file still lead to what is open.
    func isInPlace(_ control: DeviceControl, _ log: DeviceLog) throws -> Bool {
        let fileSystem = environment.fileSystem
        guard try control.isInPlace(beside: path, on: fileSystem) else { return false }
        let there = try fileSystem.information(at: path, followingLinks: false)
        // Another generation is on its way to this process; only a file of which nobody told is foreign.
        return there?.inode == log.inode && there?.device == log.device
            // Somebody stopped, or was killed, between renaming and saying so: the next writer finds out. Looked at in this order,
            // in which the opposite of what is done there can't go unnoticed.
            || control[LogFormat.Control.pendingEnd] == LogFormat.Control.pendingSwitch
            || memory.withLock { $0.word.rawValue } != stateWord.pointee.load(ordering: .acquiring)
    }

    /// Notes that they don't.
    func notInPlace(_ writer: inout Writer) -> StoreError {
        if isReplaced(writer.log) { return leave(&writer) }
        // Where that can't be told, reads might go on with values that are not current.
        let hasControl = try? control?.isInPlace(beside: path, on: environment.fileSystem)
        guard hasControl == true else { return displace(&writer) }
        if let failure = writer.failure { return failure }
        let failure = StoreError.closedLog(path, "was removed or replaced", by: syncForTheLastTime(writer.log))
        writer.failure = failure
        return failure
    }

    /// Notes for good that other processes can't find this one's control file any more, and lets them have the log.
    @inline(never)
    func displace(_ writer: inout Writer) -> StoreError {
        if writer.word == .lost, let failure = writer.failure { return failure }
        let cause = writer.failure == nil ? syncForTheLastTime(writer.log) : nil
        if cause != nil { writer.unconfirmed = writer.log.generation }
        let failure = StoreError.displacedLog(path, by: cause)
        writer.failure = failure
        writer.word = .lost
        // From here on every read comes by `follow`: other processes may commit without changing this one's state word.
        memory.withLock { $0.word = .lost }
        heldIssues.withLock { $0.append(LarderIssue(.degraded, failure.message, underlying: cause)) }
        publishMissed(1)
        return failure
    }

    /// Notes a failed sync in the control file that has the name by now, where it is not this process's own, and releases the owner lock.
    ///
    /// Whoever opens the store with that control file waits for the lock meanwhile, and then writes everything to another log.
    func passFailureOn() {
        guard hasFailed.isSet, isInItsProcess, let control else { return }
        let (log, word, isUnconfirmed) = writer.withLock { writer in
            let word = StateWord(generation: writer.log.generation, end: writer.end.offset)
            return (writer.log, word, writer.unconfirmed == writer.log.generation)
        }
        guard isUnconfirmed else { return }
        do {
            let fileSystem = environment.fileSystem
            let there = try fileSystem.information(at: path, followingLinks: false)
            // Of a log that has another name, or none, nobody learns by this one.
            if there?.inode == log.inode, there?.device == log.device {
                guard try !control.isInPlace(beside: path, on: fileSystem) else { return }
                try noteFailure(of: log, word)
            }
        } catch {
            // Whoever waits for this process must not wait forever, and the next opener syncs what there is.
            issues.report(
                LarderIssue(
                    .degraded,
                    "The control file of \(path) was removed, and that a sync had failed can't be noted in the new one: commits whose sync failed may be missing after a power loss. Write them again.",
                    underlying: error
                )
            )
        }
        writer.withLock { writer in
            writer.unconfirmed = nil
            writer.log.owner?.release()
        }
    }

    private func noteFailure(of log: DeviceLog, _ word: StateWord) throws {
        let fileSystem = environment.fileSystem
        let header = try LogHeader.read(from: log.file, path).header
        let subject = DeviceControl.Subject(of: log, boot: try fileSystem.bootBytes())
        let other = try DeviceControl(beside: path, on: fileSystem)
        defer { other.close() }
        try other.lockForOpening(environment, path)
        defer { try? other.unlock() }
        let statement = other.statement(of: subject, generation: header.generation)
        Self.noteFailure(other, subject, statement, word, header)
    }

    /// Nobody looks after what this process wrote within the last second any more.
    ///
    /// - Returns: Why the disk did not confirm it, if it did not.
    private func syncForTheLastTime(_ log: DeviceLog) -> (any Error)? {
        do {
            try syncFile(log)
        } catch let error as FileError where error.code == .notFound {
            // The folder has moved. The content is synced: that is done first.
            return nil
        } catch {
            return error
        }
        return nil
    }
}
