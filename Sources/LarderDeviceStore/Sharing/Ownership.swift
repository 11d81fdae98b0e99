import LarderCore
import LarderFiles
import Synchronization

/// A log that no process with another control file has open for writing.
struct OwnedLog {
    let control: ControlFile
    let file: any OpenFile
    /// Of `file`, since the lock between processes was acquired.
    let information: FileInformation
    let owner: LogOwnerLock?
    let isNew: Bool
}

/// Which processes may write to a log.
///
/// See "Owner locks" of `device-log-v1.md`.
enum Ownership {
    /// How a log stands that was opened by its name.
    private enum Standing {
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
                control = try ControlFile(beside: path, on: fileSystem)
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

    /// Acquires the owner lock on `file`, which a compaction by another process has put in the place of the log.
    ///
    /// - Returns: `false` if another file has its name by now.
    static func own(
        _ file: any OpenFile,
        _ writer: inout WriterTurn,
        _ owner: inout LogOwnerLock?
    ) throws -> Bool {
        let place = writer.place
        let (path, environment) = (place.path, place.environment)
        // What only reads needs none.
        guard let control = writer.sharing.control, writer.failure == nil else { return true }
        let deadline = environment.time.monotonic + environment.lockLimit
        while true {
            switch try ownership(of: file, at: path, control, environment.fileSystem) {
            // With more than one name it is written to all the same, and not compacted.
            case .owned(let acquired, _):
                owner = acquired
                return true
            case .renamed: return false
            case .displaced: throw Failing.displace(&writer)
            case .contested:
                guard try control.isInPlace(beside: path, on: environment.fileSystem) else {
                    throw Failing.displace(&writer)
                }
                // The other process is about to notice that its control file is not in place.
                guard environment.time.monotonic < deadline else { throw StoreError.contestedLog(path) }
                pauseBeforeRetry()
            }
        }
    }
}
