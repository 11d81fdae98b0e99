#if Objects
public import Foundation
internal import GRDB
public import LarderCore
internal import LarderFiles

extension SQLiteStorageManager {
    /// Writes a copy of the database to another file without blocking reads or saves.
    ///
    /// The copy contains everything that was committed when the call began. The copy is a single file without a log, and appears at `url`
    /// only after it is complete and checked. Don't copy the database with `FileManager`: the copy would lack the log, and copying releases
    /// SQLite's locks, which can cause commits to be lost.
    ///
    /// - Parameters:
    ///   - url: The URL of the new file. No file may exist there. A missing folder is created.
    ///   - verifying: Whether to run SQLite's integrity check on the copy.
    ///   - progress: A closure that is called on the calling thread with the number of copied pages.
    /// - Throws: ``ObjectError`` with code `inaccessible` if something exists at `url` or nothing can be written there, `diskFull` if the
    ///   disk is full, or `damaged` if the database is corrupt. If the call throws, it leaves no new file at `url`, and the database is
    ///   unchanged.
    /// - Complexity: Reads the whole file, or reads it twice if `verifying` is `true`.
    public func backup(
        to url: URL,
        verifying: Bool = true,
        progress: (StoreProgress) -> Void = { _ in }
    ) throws {
        let path = url.path
        do {
            try DatabaseBackup().write(pool, to: path, verifying: verifying, progress: progress)
        } catch let damage as DatabaseBackup.Damage {
            health.noteDamage(damage.finding)
            throw ObjectError(
                .damaged,
                "The backup was not made because the database is corrupt (\(damage.finding)). Restore an earlier backup.",
                path: self.url.path
            )
        } catch let error as FileError {
            throw DatabaseOpening.error(error, path)
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            throw health.noting(error)
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }
}
#endif
