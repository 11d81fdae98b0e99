import LarderCore
import LarderFiles
import Synchronization

/// A log that this process may write to, because no process with a different control file has it open for writing.
struct OwnedLog {
    let control: ControlFile
    let file: any OpenFile
    /// The attributes of `file`, read after the interprocess lock was acquired.
    let information: FileInformation
    let owner: LogOwnerLock?
    let isNew: Bool
}

/// A namespace for functions that determine which processes may write to a log.
///
/// See "Owner locks" in `device-log-v1.md`.
enum Ownership {
    /// The result of checking whether this process may write to an open log.
    private enum Standing {
        /// This process may write to the log.
        case owned(LogOwnerLock?, FileInformation)
        /// A process with a different control file has the log open for writing.
        case contested(FileInformation)
        /// The control file is no longer at its path.
        case displaced
        /// The log is no longer at its path.
        case renamed
    }

    /// Opens the control file of the store at `path`, acquires the interprocess lock, and calls `open` to open the log.
    ///
    /// Waits for processes that have the log open with a different control file, up to the time limit in `environment`.
    ///
    /// - Returns: The log, with the interprocess lock held.
    static func acquire(
        at path: String,
        _ environment: DeviceEnvironment,
        open: () throws -> (file: any OpenFile, isNew: Bool)
    ) throws -> OwnedLog {
        let fileSystem = environment.fileSystem
        let deadline = environment.time.monotonic + environment.lockLimit
        var control = try ControlFile(beside: path, on: fileSystem)
        var attempts = 0
        while true {
            try control.lockForOpening(environment, path)
            do {
                let (file, isNew) = try open()
                switch try ownership(of: file, at: path, control, fileSystem) {
                // The path refers to this file, so a link count of zero means that the file system does not count links.
                case .owned(let owner, let found) where found.links <= 1:
                    return OwnedLog(control: control, file: file, information: found, owner: owner, isNew: isNew)
                case .owned(let owner, let found):
                    owner?.release()
                    throw StoreError.linkedLog(path, found.links)
                case .contested(let found) where found.links > 1: throw StoreError.linkedLog(path, found.links)
                case .contested:
                    guard environment.time.monotonic < deadline else { throw StoreError.contestedLog(path) }
                case .displaced, .renamed:
                    // Another program has just renamed or replaced the files.
                    attempts += 1
                    guard attempts < mostAttempts else { throw StoreError.contestedLog(path) }
                }
            } catch {
                // If unlocking fails, closing the control file releases the lock.
                try? control.unlock()
                throw error
            }
            try control.unlock()
            if try !control.isInPlace(beside: path, on: fileSystem) {
                control.close()
                control = try ControlFile(beside: path, on: fileSystem)
            } else {
                pauseBeforeRetry()
            }
        }
    }

    /// The maximum number of attempts to acquire ownership of a log while other programs keep replacing the store's files.
    private static let mostAttempts = 100

    /// Sleeps for a random time, so that two processes that compete for ownership don't retry at the same time.
    private static func pauseBeforeRetry() {
        CurrentProcess.sleep(for: .microseconds(Int.random(in: 1_000...4_000)))
    }

    /// Determines whether this process may write to `file`.
    ///
    /// Acquires the owner lock before checking the locks of other processes, so that at least one of two concurrent processes detects the
    /// other.
    private static func ownership(
        of file: any OpenFile,
        at path: String,
        _ control: ControlFile,
        _ fileSystem: any FileSystem
    ) throws -> Standing {
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

    /// Acquires the owner lock on `file`, which has replaced the log after a compaction in another process.
    ///
    /// - Returns: `false` if yet another file has replaced `file`.
    static func own(
        _ file: any OpenFile,
        _ writer: inout WriterTurn,
        _ owner: inout LogOwnerLock?
    ) throws -> Bool {
        let place = writer.place
        let (path, environment) = (place.path, place.environment)
        // A read-only store needs no lock.
        guard let control = writer.sharing.control, writer.failure == nil else { return true }
        let deadline = environment.time.monotonic + environment.lockLimit
        while true {
            switch try ownership(of: file, at: path, control, environment.fileSystem) {
            // A log with more than one hard link can be written, but not compacted.
            case .owned(let acquired, _):
                owner = acquired
                return true
            case .renamed: return false
            case .displaced: throw Failing.displace(&writer)
            case .contested:
                guard try control.isInPlace(beside: path, on: environment.fileSystem) else {
                    throw Failing.displace(&writer)
                }
                // The other process is about to detect that its control file is no longer in place.
                guard environment.time.monotonic < deadline else { throw StoreError.contestedLog(path) }
                pauseBeforeRetry()
            }
        }
    }
}
