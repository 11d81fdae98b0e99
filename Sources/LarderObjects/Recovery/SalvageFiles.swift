#if Objects
internal import Foundation
internal import GRDB
internal import LarderCore
internal import LarderFiles

/// A salvage of a database file that no connection has open.
///
/// The file is read without SQLite. This is safe only while no connection of this process has the file open; see ``DatabaseHeader``.
struct SalvageFiles {
    static let suffixes = ["", "-wal", "-shm", "-journal"]

    private let place: String
    private let files: any FileSystem = LocalFileSystem()

    /// Prepares to salvage the database at `place`, a path that must not contain symbolic links.
    init(at place: String) { self.place = place }

    /// Writes all readable rows to a new database, which the caller renames.
    ///
    /// - Parameters:
    ///   - unfinished: The path of the new database. A leftover file of an interrupted salvage is replaced.
    ///   - model: The program's model, used if the model description in the database is lost.
    ///   - target: The model to which the rows are converted, or `nil` to keep the stored model.
    ///   - progress: A closure that receives the number of pages read.
    /// - Returns: The report of the kept, lost and doubtful rows.
    /// - Throws: ``ObjectError`` with code `notADatabase` if no page can be read, `damaged` if the model description is lost and `model` is
    ///   `nil`, `foreignDatabase` or `storeIsNewer`; or any error that occurs while writing. If the call throws, it leaves no file at
    ///   `unfinished`.
    func salvage(
        to unfinished: String,
        model: FrozenModel?,
        target: ResolvedModel? = nil,
        progress: ((StoreProgress) -> Void)? = nil
    ) throws -> SalvageReport {
        let database = try files.open(place, FileOpenMode(isWritable: false))
        defer { try? database.close() }
        var log: (any OpenFile)?
        if try files.information(at: place + "-wal", followingLinks: false) != nil {
            log = try files.open(place + "-wal", FileOpenMode(isWritable: false))
        }
        defer { try? log?.close() }
        guard let pages = PageFile(try FileBytes(database), log: try log.map { try FileBytes($0) }) else {
            throw ObjectError(
                .notADatabase,
                "The file contains no readable page of a SQLite database, so nothing was salvaged. Restore a backup.",
                path: place
            )
        }
        let salvage = try Salvage(pages, model: model, target: target, path: place)
        try remove(unfinished)
        do {
            var configuration = DatabaseOpening.configuration()
            configuration.foreignKeysEnabled = false
            let queue = try DatabaseQueue(path: unfinished, configuration: configuration)
            let report = try queue.writeWithoutTransaction { database in
                do { return try salvage.run(StatementCache(database), progress: progress) } catch {
                    // GRDB requires that no transaction is open when the connection closes.
                    if database.isInsideTransaction { try? database.rollback() }
                    throw error
                }
            }
            try queue.close()
            return report
        } catch {
            // If the file can't be removed, the next salvage reports the error.
            try? remove(unfinished)
            throw error
        }
    }

    private func remove(_ path: String) throws {
        for suffix in Self.suffixes { try files.removeIfPresent(path + suffix) }
    }
}
#endif
