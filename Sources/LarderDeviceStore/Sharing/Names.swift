import LarderCore
import LarderFiles
import Synchronization

/// Whether the names of log and control file still lead to what is open.
enum Names {
    /// Whether another file lies where `log` or the control file was, or none: then nothing more is written.
    static func areLost(_ log: DeviceLog, _ turn: inout some BeforeWriter & ~Copyable) throws -> Bool {
        guard try !areInPlace(log, &turn) else { return false }
        return turn.write { writer in
            guard writer.log.log === log else { return false }
            // After an orderly close the owner may remove what he likes: that is no news.
            guard writer.life.isUsable else { return true }
            _ = Failing.notInPlace(&writer)
            return true
        }
    }

    /// Whether the names lead to `log` and its control file; of a store that is not read-only.
    static func areInPlace(_ log: DeviceLog, _ turn: inout some Turn & ~Copyable) throws -> Bool {
        let place = turn.place
        let fileSystem = place.environment.fileSystem
        guard
            let control = turn.sharing.control, try control.isInPlace(beside: place.path, on: fileSystem)
        else { return false }
        let there = try fileSystem.information(at: place.path, followingLinks: false)
        if there?.inode == log.inode && there?.device == log.device { return true }
        // Another generation is on its way to this process; only a file of which no process told is foreign. A process may have been stopped, or
        // killed, between renaming and saying so: the next writer finds out. Looked at in this order, in which the opposite of what is done
        // there can't go unnoticed.
        if control.page.isSwitching { return true }
        let stateWord = turn.stateWord
        return turn.look { $0.word.rawValue } != stateWord.pointee.load(ordering: .acquiring)
    }

    /// Throws if the log at `path` has another name besides its own, which a compaction would leave with the old log.
    static func checkLinks(of log: DeviceLog, at path: String) throws {
        let links = try log.file.information().links
        if links > 1 { throw StoreError.linkedLog(path, links) }
    }

    /// Whether the engine can serve one more instance.
    ///
    /// Looks at what no call may have met with yet; an engine without its page releases the file, for which the next opener waits.
    static func areFit(_ entrance: inout Entrance) -> Bool {
        guard entrance.life.isUsable, let page = entrance.page else { return false }
        defer { Failing.passOn(&entrance) }
        do {
            // No observer is notified here: whoever opens a store holds a lock of his own.
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
