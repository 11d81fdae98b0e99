#if Objects
package import LarderCore
internal import LarderFiles

extension ObjectDatabase {
    /// Writes a verified copy of the database to a new file, even while other programs use the database.
    ///
    /// - Parameters:
    ///   - target: The path of the copy.
    ///   - progress: A closure that receives the number of copied pages.
    /// - Throws: ``ObjectError``, or the error that `progress` throws. If the call throws, no file is left at the path.
    package func backup(to target: String, progress: (StoreProgress) throws -> Void) throws {
        do {
            try DatabaseBackup().write(queue, to: target, progress: progress)
        } catch let damage as DatabaseBackup.Damage {
            throw ObjectError(
                .damaged,
                "The backup was not made because the database is corrupt (\(damage.finding)). Salvage the database, or restore "
                    + "an earlier backup.",
                path: path
            )
        } catch let error as FileError {
            throw DatabaseOpening.error(error, target)
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }
}
#endif
