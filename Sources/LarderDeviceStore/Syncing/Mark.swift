import LarderCore
import LarderFiles
import Synchronization

/// A namespace for functions that write the synced mark to the log's header.
///
/// The synced mark is the offset up to which the log has been synced. The mark itself becomes durable with the next sync.
enum Mark {
    /// Writes the offset up to which the log has been synced to the log's header.
    static func write(_ entrance: inout Entrance) throws {
        guard let synced = entrance.page?.syncedWord else { return }
        let isNewer = entrance.write { writer in
            synced.isOf(generation: writer.log.log.generation) && synced.end > writer.log.mark
        }
        // Returning early avoids acquiring the interprocess lock.
        guard isNewer else { return }
        try entrance.commit { shared in
            guard synced.isOf(generation: shared.writer.log.log.generation) else { return }
            do {
                try writeIfThereIsRoom(synced.end, &shared)
            } catch let error as StoreError where error.code == .newerFormat {
                // The disk has not failed, and a process that supports the feature can continue.
                throw Failing.end(&shared.writer, with: error)
            } catch let error as StoreError where error.code == .damaged {
                throw Failing.noteChange(error, &shared.writer)
            } catch {
                Failing.poison(&shared.writer, error)
                throw StoreError.failedDevice(error, shared.place.path)
            }
        }
    }

    /// Writes `mark` to the header slot that contains the older mark, or skips the write if the disk is full.
    ///
    /// Skipping is safe, because all commits are on disk and the other slot is intact.
    static func writeIfThereIsRoom(_ mark: Int, _ shared: inout SharedTurn) throws {
        let (path, log) = (shared.place.path, shared.writer.log.log)
        // Another process may have written a header since the last check.
        var header = try LogHeader.read(from: log.file, path).header
        guard header.isOf(log) else { throw StoreError.changedLog(path, at: 0, "its header was replaced") }
        try header.checkWriting(path)
        if header.syncedMark < mark {
            header.syncedMark = mark
            header.slotNumber &+= 1
            do {
                try log.file.write(header.slot, at: header.slotOffset)
            } catch let error where StoreError.device(error, path).code == .diskFull {
                return
            }
        }
        shared.writer.log.mark = header.syncedMark
    }
}
