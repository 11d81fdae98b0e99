public import LarderCore
import LarderFiles

extension DeviceStore {
    /// Verifies the store by reading the entire file, checking every commit, and comparing the entries with the in-memory index.
    ///
    /// Commits made during the check are included. Commits are blocked only during the final comparison, unless the log is compacted
    /// repeatedly during the check.
    ///
    /// - Returns: The number of checked entries and all problems that were found.
    /// - Throws: `StoreError` if the check could not be completed.
    public func verify() throws -> StoreVerification { try verify { _ in } }

    /// Runs ``verify()`` and reports progress.
    ///
    /// No lock is held while `progress` runs, so the closure may read, write, compact and back up the store. If the log is compacted, the
    /// check and the count start over. After the third compaction, the check continues without calling `progress`.
    ///
    /// - Parameter progress: A closure that is called on this thread with the number of checked bytes, relative to the initial size of the
    ///   log.
    /// - Returns: The number of checked entries and all problems that were found.
    /// - Throws: `StoreError` if the check could not be completed.
    public func verify(progress: @Sendable (StoreProgress) -> Void) throws -> StoreVerification {
        try checkOpen()
        return try engine.enter { try Verification.run(&$0, progress: progress) }
    }

    /// Rewrites the file with only the current entries.
    ///
    /// The store also compacts automatically when enough space can be reclaimed. This call waits for a ``backup(to:)`` or compaction that
    /// is running in this process.
    ///
    /// - Throws: `StoreError` if the file could not be rewritten. In that case, the content of the store is unchanged. The code is `busy`
    ///   if another process is compacting the store, or if ``compact(progress:)`` or ``backup(to:progress:)`` is running in this process.
    public func compact() throws {
        try checkOpen()
        try engine.enter { try Compaction.runOnRequest(&$0) }
    }

    /// Runs ``compact()`` and reports progress.
    ///
    /// `progress` may read, write and verify the store. Until this call returns, every other compaction or backup in this process throws
    /// `busy`, and commits let the file grow beyond its usual limit. A commit that finds the disk full throws an error instead of
    /// compacting the store.
    ///
    /// - Parameter progress: A closure that is called on this thread with the number of processed bytes, relative to the initial size of
    ///   the log.
    /// - Throws: `StoreError` under the same conditions as ``compact()``.
    public func compact(progress: @Sendable (StoreProgress) -> Void) throws {
        try checkOpen()
        try engine.enter { try Compaction.runOnRequest(telling: progress, &$0) }
    }

    /// Writes a consistent snapshot of the store to `path` while the store is in use.
    ///
    /// The backup is durable when this call returns. This call waits for a compaction or another backup that is running in this process.
    /// Commits that need a compaction wait for the backup.
    ///
    /// - Parameter path: The path of the new file, which must not exist.
    /// - Throws: `StoreError` if the backup fails. No file is left at `path`, unless the backup is complete and only syncing its folder
    ///   failed. The code is `busy` if ``compact(progress:)`` or ``backup(to:progress:)`` is running in this process, or if other processes
    ///   compact the store faster than it can be copied.
    public func backup(to path: String) throws {
        try checkOpen()
        try engine.enter { try Backup.run(to: path, &$0) }
    }

    /// Runs ``backup(to:)`` and reports progress.
    ///
    /// - Parameters:
    ///   - path: The path of the new file, which must not exist.
    ///   - progress: A closure that is called on this thread with the number of processed bytes. The same rules as for
    ///     ``compact(progress:)`` apply.
    /// - Throws: `StoreError` under the same conditions as ``backup(to:)``.
    public func backup(to path: String, progress: @Sendable (StoreProgress) -> Void) throws {
        try checkOpen()
        try engine.enter { try Backup.run(to: path, telling: progress, &$0) }
    }

    /// Makes a backup copy of a corrupt store, then replaces the store with one that contains the intact entries.
    ///
    /// Also repairs header defects that cause no data loss, which ``verify()`` reports.
    ///
    /// - Parameters:
    ///   - path: The path of the store. Close the store in all processes first, because an instance that is open can no longer write to the
    ///     store.
    ///   - options: The options of the store. ``DeviceStoreOptions/damage`` is ignored.
    ///   - progress: A closure that is called on this thread with the number of bytes copied to the backup copy. The closure must not use
    ///     the store, because the repair holds the interprocess lock. Opening the store or committing to it throws `busy` after about 5
    ///     seconds.
    /// - Returns: A description of the corruption and of the entries that were kept, or `nil` if the store is intact and was not changed.
    /// - Throws: `StoreError` if the repair fails. The file at `path` is unchanged, unless the repair is complete and only syncing the
    ///   folder failed. The code is `newerFormat` if a newer version of Larder wrote the file, and `invalidConfiguration` if the store is
    ///   on a network file system that the options do not allow.
    public static func repair(
        at path: String,
        options: DeviceStoreOptions = DeviceStoreOptions(),
        progress: @Sendable (StoreProgress) -> Void = { _ in }
    ) throws -> DeviceStoreDamage? {
        do {
            let resolved = try options.environment.fileSystem.resolvingLinks(in: path)
            return try Repair.run(resolved, options, progress: progress)
        } catch {
            throw StoreError.device(error, path)
        }
    }

    /// Runs the periodic maintenance immediately.
    ///
    /// Tests use this method with stores that have no maintenance timer.
    package func maintain() { engine.enter { Maintenance.run(&$0) } }
}
