import LarderCore
import LarderFiles
import Synchronization

// Functions that recover from a process that died before it published its commit. Recovery runs when the interprocess lock is acquired.
extension Following {
    /// Completes or cancels a compaction whose process died while replacing the log.
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
            // Every commit was made and copied before the switch, so the file matches the in-memory index.
            try load(log, header, &shared.writer, to: shared.writer.word, hasMissed: false)
        }
        if !shared.writer.word.isOf(generation: shared.writer.log.log.generation) {
            page.noteFile(of: shared.writer.log.log)
            publish(&shared)
        }
        page.pendingEnd = 0
    }

    /// Completes or erases the last commit of a process that died while writing.
    static func finishForDeadWriter(_ shared: inout SharedTurn, _ page: ControlPage, _ holderDied: Bool) throws {
        let pending = Int(truncatingIfNeeded: page.pendingEnd)
        let size = try shared.writer.log.log.file.information().size
        guard size >= shared.writer.log.end.offset else {
            throw StoreError.damagedLog(shared.place.path, at: size, "it was truncated while the store was open")
        }
        // If the holder of the lock is known to have died, the end that it recorded is unreliable, so the whole reserved space is scanned.
        let limit = holderDied ? size : min(size, max(pending, shared.writer.log.end.offset))
        try readCommits(&shared.writer, to: limit)
        publish(&shared)
        do {
            try shared.writer.log.erase(shared.writer.log.end.offset..<limit)
        } catch {
            // A retry would find zeros in memory, although the disk may still hold other bytes.
            Failing.poison(&shared.writer, error)
            throw error
        }
        page.pendingEnd = 0
    }

    /// Publishes the generation and the end offset of the log in shared memory.
    private static func publish(_ shared: inout SharedTurn) {
        let word = StateWord(
            generation: shared.writer.log.log.generation,
            end: shared.writer.log.end.offset
        )
        shared.writer.change { index, _ in index.word = word }
        shared.stateWord.pointee.store(word.rawValue, ordering: .releasing)
    }
}
