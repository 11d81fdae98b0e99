import LarderCore
import LarderFiles
import Synchronization

extension DeviceEngine {
    /// Writes a store that holds what is current now to `destination`; `isTold` when `progress` is a caller's.
    func backup(
        to destination: String,
        isTold: Bool,
        progress: @Sendable (StoreProgress) -> Void = { _ in }
    ) throws {
        try checkUsable()
        do {
            try followOthers()
            let isDone = try maintaining(isTold: isTold) {
                try makeBackup(at: destination, progress)
                return true
            }
            guard isDone == true else { throw StoreError.maintainedLog(path) }
        } catch {
            throw StoreError.device(error, destination)
        }
    }

    private func makeBackup(at destination: String, _ progress: @Sendable (StoreProgress) -> Void) throws {
        let fileSystem = environment.fileSystem
        try StoreError.checkName(destination)
        guard try fileSystem.information(at: destination, followingLinks: false) == nil else {
            throw FileError(.alreadyExists, .write, destination)
        }
        guard let file = try fileSystem.claimNewFile(for: destination) else {
            throw FileError(.busy, .write, destination, detail: "another backup is written to it")
        }
        do {
            try backup(into: file, progress)
            try fileSystem.putNewFile(file, at: destination)
        } catch {
            // Should it stay, the next backup to this place begins it anew.
            try? fileSystem.removeNewFile(file, for: destination)
            throw error
        }
        // It is on the disk, and where few files may be open its descriptor is needed for the folder.
        try? file.close()
        try fileSystem.synchronizeDirectory(at: FilePath.folder(of: destination))
    }

    private func backup(into file: any OpenFile, _ progress: @Sendable (StoreProgress) -> Void) throws {
        // Another process may compact while the copy is made; then what was copied does not fit what comes.
        for _ in 0..<100 {
            let (log, start) = writer.withLock { ($0.log, $0.end) }
            try file.truncate(to: 0)
            var copy = LogCopy(to: file, .new())
            var position = LogReader.Stop.beginning
            try copyEntries(
                of: log,
                &position,
                to: start.offset,
                into: &copy,
                preparing: false,
                progress: { progress(StoreProgress(completed: $0, total: start.offset)) }
            )
            for _ in 0..<Self.mostCatchUps {
                let end = writer.withLock { $0.log === log ? $0.end : position }
                guard end.offset - position.offset > Self.leftForTheLock else { break }
                try copyChanges(of: log, &position, to: end, into: &copy, preparing: false)
            }
            let isWhole = try writer.withLock { writer in
                guard writer.log === log else { return false }
                try copyChanges(of: log, &position, to: writer.end, into: &copy, preparing: false)
                return true
            }
            if isWhole { return try copy.settle(reserving: 0) }
        }
        throw StoreError.compactedLog(path)
    }
}
