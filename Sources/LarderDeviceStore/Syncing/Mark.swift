import LarderCore
import LarderFiles
import Synchronization

/// The mark in the header that says what the disk has confirmed.
///
/// It is carried to the disk by the next sync.
enum Mark {
    /// States in the header what the disk has confirmed.
    static func write(_ entrance: inout Entrance) throws {
        guard let synced = entrance.page?.syncedWord else { return }
        let isNewer = entrance.write { writer in
            synced.isOf(generation: writer.log.log.generation) && synced.end > writer.log.mark
        }
        // The lock between processes is not acquired for nothing.
        guard isNewer else { return }
        try entrance.commit { shared in
            guard synced.isOf(generation: shared.writer.log.log.generation) else { return }
            do {
                try writeIfThereIsRoom(synced.end, &shared)
            } catch let error as StoreError where error.code == .newerFormat {
                // The disk has not failed, and a process that knows that feature goes on.
                throw Failing.end(&shared.writer, with: error)
            } catch let error as StoreError where error.code == .damaged {
                throw Failing.noteChange(error, &shared.writer)
            } catch {
                Failing.poison(&shared.writer, error)
                throw StoreError.failedDevice(error, shared.place.path)
            }
        }
    }

    /// Writes the header slot that holds the older mark.
    ///
    /// On a full disk it is left for another time: all is on the disk, the other slot is as it was, and only a process that has the store
    /// open can make room.
    static func writeIfThereIsRoom(_ mark: Int, _ shared: inout SharedTurn) throws {
        let (path, log) = (shared.place.path, shared.writer.log.log)
        // Another process may have written one since this one looked.
        var header = try LogHeader.read(from: log.file, path).header
        guard header.isOf(log) else { throw StoreError.changedLog(path, at: 0, "its header is another one") }
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
