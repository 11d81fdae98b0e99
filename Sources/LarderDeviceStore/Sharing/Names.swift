import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that check whether the paths of the log and the control file still refer to the open files.
enum Names {
    /// Returns whether `log` or the control file was removed or replaced.
    ///
    /// If so, records the failure, which prevents further writes to the log.
    static func areLost(_ log: DeviceLog, _ turn: inout some BeforeWriter & ~Copyable) throws -> Bool {
        guard try !areInPlace(log, &turn) else { return false }
        return turn.write { writer in
            guard writer.log.log === log else { return false }
            // After an orderly close the user may remove the files, which is not a failure.
            guard writer.life.isUsable else { return true }
            _ = Failing.notInPlace(&writer)
            return true
        }
    }

    /// Returns whether the store's paths still refer to `log` and to its control file.
    ///
    /// Do not call this function for read-only stores.
    static func areInPlace(_ log: DeviceLog, _ turn: inout some Turn & ~Copyable) throws -> Bool {
        let place = turn.place
        let fileSystem = place.environment.fileSystem
        guard
            let control = turn.sharing.control, try control.isInPlace(beside: place.path, on: fileSystem)
        else { return false }
        let there = try fileSystem.information(at: place.path, followingLinks: false)
        if there?.inode == log.inode && there?.device == log.device { return true }
        // The file may be another generation that this process has not read yet. Only a file that no process has published was put there by
        // another program. A process may be suspended or killed between renaming a file and publishing it, which the next writer detects.
        // The checks are in the reverse order of the changes, so that no change is missed.
        if control.page.isSwitching { return true }
        let stateWord = turn.stateWord
        return turn.look { $0.word.rawValue } != stateWord.pointee.load(ordering: .acquiring)
    }

    /// Throws an error if the log at `path` has additional hard links, because a compaction would replace only one of them.
    static func checkLinks(of log: DeviceLog, at path: String) throws {
        let links = try log.file.information().links
        if links > 1 { throw StoreError.linkedLog(path, links) }
    }

    /// Returns whether a new store instance can share the open engine.
    ///
    /// Also detects failures that no call has encountered yet, and closes the control file if the shared-memory control page is lost.
    static func areUsable(_ entrance: inout Entrance) -> Bool {
        guard entrance.life.isUsable, let page = entrance.page else { return false }
        defer { Failing.passOn(&entrance) }
        do {
            // Observers are not notified here, because the opening thread holds a lock.
            if page.isLost { try entrance.write { try Following.follow(&$0) } }
            if entrance.sharing.hasFailed.load(ordering: .acquiring) { return false }
            if page.failures != entrance.sharing.failuresAtOpening { return false }
            let log = entrance.look { $0.log }
            return try !areLost(log, &entrance)
        } catch {
            return false
        }
    }
}
