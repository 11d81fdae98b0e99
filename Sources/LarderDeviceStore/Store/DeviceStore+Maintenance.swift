public import LarderCore
import LarderFiles

extension DeviceStore {
    /// Reads the whole file again, checks every commit, and compares the result with what is in memory.
    ///
    /// Commits made meanwhile are checked too. They wait only for the last part, in which the result is compared with memory, unless the
    /// log is compacted again and again meanwhile.
    ///
    /// - Returns: What was checked, and every problem found.
    /// - Throws: ``StoreError`` when the check itself could not be carried out.
    public func verify() throws -> StoreVerification { try verify { _ in } }

    /// ``verify()``, saying how far it has come.
    ///
    /// - Parameter progress: Called on this thread with the bytes that were checked, of those that were there at the beginning. It may
    ///   read, write, compact and back up, and wait for other threads that do, for no lock is held. After a compaction the check, and
    ///   with it the count, begins again; after the third one it goes on without calling `progress`.
    /// - Returns: What was checked, and every problem found.
    /// - Throws: ``StoreError`` when the check itself could not be carried out.
    public func verify(progress: @Sendable (StoreProgress) -> Void) throws -> StoreVerification {
        try checkOpen()
        return try engine.enter { try Verification.run(&$0, progress: progress) }
    }

    /// Writes the file anew with only what is current.
    ///
    /// Happens by itself when it pays. Waits for a ``backup(to:)`` or a compaction that is under way in this process.
    ///
    /// - Throws: ``StoreError``; then the store is as it was. `busy` when another process is doing the same, or
    ///   ``compact(progress:)`` or ``backup(to:progress:)`` is under way in this one.
    public func compact() throws {
        try checkOpen()
        try engine.enter { try Compaction.runAsAsked(&$0) }
    }

    /// ``compact()``, saying how far it has come.
    ///
    /// - Parameter progress: Called on this thread with the bytes that were looked at, of those that were there at the beginning.
    ///   It may read, write and verify, and wait for other threads that do, for no call waits for it: until this one returns,
    ///   every other compaction or backup in this process throws `busy`, commits let the file grow beyond its usual limit
    ///   rather than wait, and one that meets a full disk throws without a compaction.
    /// - Throws: ``StoreError``; then the store is as it was. `busy` as ``compact()``.
    public func compact(progress: @Sendable (StoreProgress) -> Void) throws {
        try checkOpen()
        try engine.enter { try Compaction.runAsAsked(telling: progress, &$0) }
    }

    /// Writes a store that holds everything of one moment to `path`, while this one is in use.
    ///
    /// It is on the disk on return. Waits for a compaction or another backup that is under way in this process; commits that
    /// can't go on without a compaction wait for it.
    ///
    /// - Parameter path: Nothing may be there yet.
    /// - Throws: ``StoreError``; then nothing is at `path`, or, where only its name was not confirmed by the disk, the whole backup.
    ///   `busy` when ``compact(progress:)`` or ``backup(to:progress:)`` is under way in this process, and when other processes
    ///   compact the store faster than it can be copied.
    public func backup(to path: String) throws {
        try checkOpen()
        try engine.enter { try Backup.run(to: path, &$0) }
    }

    /// ``backup(to:)``, saying how far it has come.
    ///
    /// - Parameters:
    ///   - path: Nothing may be there yet.
    ///   - progress: Called on this thread with the bytes that were looked at. It may do what that of ``compact(progress:)`` may.
    /// - Throws: ``StoreError``, as ``backup(to:)`` does.
    public func backup(to path: String, progress: @Sendable (StoreProgress) -> Void) throws {
        try checkOpen()
        try engine.enter { try Backup.run(to: path, telling: progress, &$0) }
    }

    /// Copies a damaged store aside and puts its good part in its place.
    ///
    /// Flaws of the header that nothing is lost by, and which ``verify()`` names, are mended in the same way.
    ///
    /// - Parameters:
    ///   - path: The store. No process should have it open; one that has can't write to it any more.
    ///   - options: Where and how; its damage policy is not asked.
    ///   - progress: Called on this thread with the bytes that were copied aside. It must not use the store: the repair holds the lock
    ///     between processes meanwhile, so that opening the store and committing to it throw `busy` after about 5 seconds.
    /// - Returns: What was found and kept, or `nil` when nothing is damaged: then nothing was changed.
    /// - Throws: ``StoreError``; then the file at `path` is as it was, or, where only its new name was not confirmed by the disk,
    ///   the good part, and the copy lies aside. `newerFormat` where a newer version wrote it,
    ///   `invalidConfiguration` on a network file system, unless the options allow that.
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

    /// What the store does from time to time by itself, now: for stores that do nothing by themselves.
    package func maintain() { engine.enter { Maintenance.run(&$0) } }
}
