#if Objects
internal import GRDB
internal import LarderCore
internal import LarderFiles

/// A backup procedure that copies a database to a single file without a write-ahead log.
struct DatabaseBackup {
    /// An error thrown if SQLite's integrity check finds corruption in a copy.
    struct Damage: Error { let finding: String }

    /// The number of database pages to copy between progress reports.
    private static let pages: Int32 = 1_024
    private static let companions = ["", "-wal", "-shm", "-journal"]

    private let files: any FileSystem

    init(_ files: any FileSystem = LocalFileSystem()) { self.files = files }

    /// Writes a copy of a database to a path where no file exists.
    ///
    /// The copy is written to `PATH-unfinished` and renamed when it is complete.
    ///
    /// - Parameters:
    ///   - source: A connection to the database. The copy is a snapshot.
    ///   - path: The path of the copy.
    ///   - verifying: Whether to run SQLite's integrity check on the copy.
    ///   - progress: A closure that receives the number of copied pages. If it throws an error, no copy is made.
    /// - Throws: ``Damage`` if the copy is corrupt, ``ObjectError`` with code `inaccessible` if a file exists at `path`, or an error of the
    ///   file system or of SQLite. If the call throws, it leaves no new file at `path`.
    func write(
        _ source: any DatabaseReader,
        to path: String,
        verifying: Bool = true,
        progress: (StoreProgress) throws -> Void = { _ in }
    ) throws {
        try files.createDirectory(at: FilePath.folder(of: path))
        guard try files.information(at: path, followingLinks: false) == nil else {
            throw ObjectError(
                .inaccessible,
                "The backup was not made because a file exists at its path. Choose another path, or remove the file.",
                path: path
            )
        }
        try copy(source, to: path + "-unfinished", verifying: verifying, progress: progress) { unfinished in
            try files.rename(unfinished, to: path)
            try files.synchronizeDirectory(at: FilePath.folder(of: path))
        }
    }

    /// Copies a database to a temporary path, and calls `body` once the copy is complete and closed.
    ///
    /// Unless `body` renames the copy, the copy is removed afterward.
    func copy(
        _ source: any DatabaseReader,
        to unfinished: String,
        verifying: Bool,
        progress: (StoreProgress) throws -> Void,
        _ body: (String) throws -> Void
    ) throws {
        // If the file can't be removed, the next backup reports the error.
        func remove() { for suffix in Self.companions { try? files.removeIfPresent(unfinished + suffix) } }
        defer { remove() }
        remove()
        let copy = try DatabaseQueue(path: unfinished, configuration: DatabaseOpening.configuration())
        var refusal: (any Error)?
        try withoutActuallyEscaping(progress) { progress in
            try source.backup(to: copy, pagesPerStep: Self.pages) { state in
                do {
                    try progress(StoreProgress(completed: state.completedPageCount, total: state.totalPageCount))
                } catch {
                    refusal = error
                    throw error
                }
            }
        }
        // GRDB ignores an error that is thrown after the last page.
        if let refusal { throw refusal }
        if verifying {
            let finding = try copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") ?? "no result" }
            guard finding == "ok" else {
                // A failed close is ignored, because the copy is removed.
                try? copy.close()
                throw Damage(finding: finding)
            }
        }
        try copy.close()
        try body(unfinished)
    }
}
#endif
