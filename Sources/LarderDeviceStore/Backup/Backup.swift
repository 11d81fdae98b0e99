import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that write a consistent snapshot of a store to another path.
enum Backup {
    /// Writes a backup of the store to `destination` without reporting progress.
    static func run(to destination: String, _ entrance: inout Entrance) throws {
        try run(to: destination, &entrance) { try $0.compact($1) }
    }

    /// Writes a backup of the store to `destination` and reports progress.
    ///
    /// If commits made during the backup require a compaction, compacts the log afterward, also if the handler cancels the backup.
    static func run(
        to destination: String,
        telling progress: (StoreProgress) throws -> Void,
        _ entrance: inout Entrance
    ) throws {
        var isCanceled = false
        func tell(_ new: StoreProgress) throws {
            do { try progress(new) } catch {
                isCanceled = true
                throw error
            }
        }
        do {
            try run(to: destination, &entrance) { try $0.compact(telling: tell, $1) }
        } catch {
            if isCanceled { Compaction.runAfterCancellation(&entrance) }
            throw error
        }
        Compaction.runForWaiting(&entrance)
    }

    private static func run(
        to destination: String,
        _ entrance: inout Entrance,
        by acquire: (inout Entrance, (inout CompactionTurn) throws -> Void) throws -> Void?
    ) throws {
        try entrance.checkUsable()
        do {
            try Following.follow(&entrance)
            let isDone: Void? = try acquire(&entrance) { try make(at: destination, &$0) }
            guard isDone != nil else { throw StoreError.maintainedLog(entrance.place.path) }
        } catch {
            throw StoreError.device(error, destination)
        }
    }

    private static func make(at destination: String, _ turn: inout CompactionTurn) throws {
        let fileSystem = turn.place.environment.fileSystem
        try StoreError.checkName(destination)
        guard try fileSystem.information(at: destination, followingLinks: false) == nil else {
            throw FileError(.alreadyExists, .write, destination)
        }
        guard let file = try fileSystem.claimNewFile(for: destination) else {
            throw FileError(.busy, .write, destination, detail: "another backup is being written to it")
        }
        do {
            try copy(into: file, &turn)
            try fileSystem.putNewFile(file, at: destination)
        } catch {
            // If the file can't be removed, the next backup to this path removes it.
            try? fileSystem.removeNewFile(file, for: destination)
            throw error
        }
        // The backup is already synced. Closing it frees a descriptor, which may be needed to sync the folder.
        try? file.close()
        try fileSystem.synchronizeDirectory(at: FilePath.folder(of: destination))
    }

    private static func copy(into file: any OpenFile, _ turn: inout CompactionTurn) throws {
        // A compaction in another process invalidates the copy, so the copy starts over.
        for _ in 0..<100 {
            let (log, start) = turn.write { ($0.log.log, $0.log.end) }
            try file.truncate(to: 0)
            var copy = LogCopy(to: file, .new())
            var position = LogPosition.beginning
            try Copying.copyEntries(
                of: log,
                &position,
                to: start.offset,
                into: &copy,
                preparing: false,
                &turn,
                progress: { try $0.tell(StoreProgress(completed: $1, total: start.offset)) }
            )
            for _ in 0..<Copying.maximumPasses {
                let end = turn.write { $0.log.log === log ? $0.log.end : position }
                guard end.offset - position.offset > Copying.finalPassSize else { break }
                try Copying.copyChanges(of: log, &position, to: end, into: &copy, preparing: false, &turn)
            }
            let isWhole = try turn.write { writer in
                guard writer.log.log === log else { return false }
                try Copying.copyChanges(of: log, &position, to: writer.log.end, into: &copy, preparing: false, &writer)
                return true
            }
            if isWhole { return try copy.settle(reserving: 0) }
        }
        throw StoreError.compactedLog(turn.place.path)
    }
}
