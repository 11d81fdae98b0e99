import LarderCore
import LarderFiles
import Synchronization

// What a process began, and did not publish because it died; while the lock between processes is being acquired.
extension Following {
    /// A compaction whose process died while it put its file in the place of the log: it did, or it did not.
    static func finishSwitch(_ shared: inout SharedTurn, _ page: ControlPage) throws {
        let path = shared.place.path
        let file = try openFollowing(&shared.writer)
        let old = shared.writer.log.log
        if try file.information().inode != old.inode {
            let header = try LogHeader.read(from: file, path).header
            guard
                header.fileIdentifier == old.fileIdentifier,
                header.generation == old.generation &+ 1
            else { throw StoreError.closedLog(path, "was replaced by another file") }
            var owner: LogOwnerLock?
            guard try Ownership.own(file, &shared.writer, &owner) else {
                throw StoreError.closedLog(path, "was replaced by another file")
            }
            let log = try DeviceLog(file: file, header: header, needsFolderSync: true, owner: owner)
            // Every commit was made before and copied: what it holds is what is in memory.
            try load(log, header, &shared.writer, to: shared.writer.word, hasMissed: false)
        }
        if !shared.writer.word.isOf(generation: shared.writer.log.log.generation) {
            page.noteFile(of: shared.writer.log.log)
            publish(&shared)
        }
        page.pendingEnd = 0
    }

    /// A commit that was begun.
    static func finishForDeadWriter(_ shared: inout SharedTurn, _ page: ControlPage, _ holderDied: Bool) throws {
        let pending = Int(truncatingIfNeeded: page.pendingEnd)
        let size = try shared.writer.log.log.file.information().size
        guard size >= shared.writer.log.end.offset else {
            throw StoreError.damagedLog(shared.place.path, at: size, "it was cut off while the store was open")
        }
        // A death that is certain leaves nothing to rely on: all that is reserved is looked at.
        let limit = holderDied ? size : min(size, max(pending, shared.writer.log.end.offset))
        try readCommits(&shared.writer, to: limit)
        publish(&shared)
        do {
            try shared.writer.log.erase(shared.writer.log.end.offset..<limit)
        } catch {
            // Whoever tries again would find zeros, though the disk may have none.
            Failing.poison(&shared.writer, error)
            throw error
        }
        page.pendingEnd = 0
    }

    /// Tells all processes where the log ends.
    private static func publish(_ shared: inout SharedTurn) {
        let word = StateWord(
            generation: shared.writer.log.log.generation,
            end: shared.writer.log.end.offset
        )
        shared.writer.change { index, _ in index.word = word }
        shared.stateWord.pointee.store(word.rawValue, ordering: .releasing)
    }
}
