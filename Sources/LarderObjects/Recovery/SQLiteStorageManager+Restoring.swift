#if Objects
public import Foundation
internal import GRDB
public import LarderCore
internal import LarderFiles

extension SQLiteStorageManager {
    /// Replaces a closed database with a copy of a backup.
    ///
    /// The backup is first copied and checked. The database at `url` and its log are then renamed to `NAME.quarantined-1`, or to the next
    /// unused number. The backup itself is not changed. Every ``HistoryToken`` of the replaced database and of the backup expires.
    ///
    /// - Parameters:
    ///   - backup: A backup written by ``backup(to:verifying:progress:)`` or by a migration.
    ///   - url: The URL of the database file, which may be missing.
    ///   - progress: A closure that is called on the calling thread with the number of copied pages.
    /// - Returns: The URL to which the replaced database was moved, or `nil` if there was no database at `url`.
    /// - Throws: ``ObjectError`` with code `busy` if a process has the database open; `damaged`, `notADatabase` or `foreignDatabase` if the
    ///   backup can't be used; `storeIsNewer` if a newer version of Larder wrote the backup; `inaccessible` or `diskFull` if a file can't
    ///   be read or written. If the call throws, the database is unchanged.
    @discardableResult
    public static func restore(
        from backup: URL,
        to url: URL,
        progress: (StoreProgress) -> Void = { _ in }
    ) throws -> URL? {
        // A restoration does not use the model.
        let model = ResolvedModel(entities: [], version: 1)
        return try DatabaseOpening(model: model, path: url.path, ObjectStorageConfiguration()).restore(
            from: backup.path,
            progress
        )
        .map { URL(fileURLWithPath: $0) }
    }
}

extension DatabaseOpening {
    /// The file name suffix of the restored copy until the existing database has been renamed.
    private static let restored = "-restored"

    /// Replaces the database with a copy of a backup.
    ///
    /// - Returns: The path to which the replaced database was moved, or `nil` if there was no database.
    func restore(from backup: String, _ progress: (StoreProgress) -> Void = { _ in }) throws -> String? {
        do {
            try SQLiteVersion.current.check()
            try Self.check(backup)
            try files.createDirectory(at: FilePath.folder(of: path))
            try refuseSeveralNames()
            if try isOpenHere() { throw Self.openHere(path) }
            let lock = try takeLock()
            defer { lock.release() }
            let place = try place()
            let isPresent = try files.information(at: place, followingLinks: false) != nil
            guard !isPresent || !DatabaseUse.isInUse(place) else {
                throw ObjectError(
                    .busy,
                    "The backup was not restored because another program has the database open. Close it in that program "
                        + "and try again.",
                    path: path
                )
            }
            let source = try Self.reader(of: backup)
            // The connection is read-only, so a failed close loses no data. Closing is retried when the queue is released.
            defer { try? source.close() }
            _ = try source.read { try StoredSchema.read(StatementCache($0), path: backup) }
            var aside: String?
            try DatabaseBackup(files).copy(source, to: place + "-unfinished", verifying: true, progress: progress) {
                try beginTimeline(at: $0)
                // If the process crashes after this point, finishRestoring completes the restoration when the database is opened.
                try files.rename($0, to: place + Self.restored)
                aside = try moveAside(place, if: isPresent)
                try files.rename(place + Self.restored, to: place)
                try files.synchronizeDirectory(at: FilePath.folder(of: place))
            }
            return aside
        } catch let damage as DatabaseBackup.Damage {
            throw ObjectError(
                .damaged,
                "Nothing was restored because the backup is corrupt (\(damage.finding)). Use another backup.",
                path: backup
            )
        } catch let error as FileError {
            throw Self.error(error, path)
        } catch {
            throw ObjectError.wrapping(error, path: backup)
        }
    }

    private static func reader(of backup: String) throws -> DatabaseQueue {
        // Unlike a read-only connection, a writable connection removes the empty log that SQLite creates.
        if let queue = try? DatabaseQueue(path: backup, configuration: configuration()) { return queue }
        var configuration = configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: backup, configuration: configuration)
    }

    /// Begins a new timeline in the restored copy, because its next saves have tokens that the replaced database may have used.
    private func beginTimeline(at path: String) throws {
        let queue = try DatabaseQueue(path: path, configuration: Self.configuration())
        try queue.writeWithoutTransaction { database in
            let statements = StatementCache(database)
            if try SharingSchema.exists(statements) { try SharingSchema.beginTimeline(statements) }
        }
        try queue.close()
    }

    private func moveAside(_ place: String, if isPresent: Bool) throws -> String? {
        guard isPresent else {
            // SQLite would apply a leftover log to the restored database.
            _ = try moveLogAside()
            return nil
        }
        return try moveAside(place)
    }

    /// Completes a restoration that was interrupted after the existing database was renamed.
    ///
    /// - Returns: `true` if the restored copy was moved to the database's path.
    func finishRestoring() throws -> Bool {
        let place = try place()
        guard try files.information(at: place, followingLinks: true) == nil,
            try files.information(at: place + Self.restored, followingLinks: false) != nil
        else { return false }
        try files.rename(place + Self.restored, to: place)
        try files.synchronizeDirectory(at: FilePath.folder(of: place))
        return true
    }
}
#endif
