public import LarderCore
import LarderFiles

extension DeviceStore {
    /// Reads the whole file again, checks every commit, and compares the result with what is in memory.
    ///
    /// - Returns: What was checked, and every problem found.
    /// - Throws: ``StoreError`` when the check itself could not be carried out.
    public func verify() throws -> StoreVerification { try verify { _ in } }

    /// ``verify()``, saying how far it has come.
    ///
    /// - Parameter progress: Called on this thread with the bytes that were checked. Writers wait meanwhile, so it must not use
    ///   the store.
    /// - Returns: What was checked, and every problem found.
    /// - Throws: ``StoreError`` when the check itself could not be carried out.
    public func verify(progress: @Sendable (StoreProgress) -> Void) throws -> StoreVerification {
        try checkOpen()
        return try engine.verify(progress: progress)
    }

    /// Writes the file anew with only what is current.
    ///
    /// Happens by itself when it pays.
    ///
    /// - Parameter progress: Called on this thread with the bytes that were looked at, of those that were there at the beginning.
    ///   It may read and write.
    /// - Throws: ``StoreError``; then the store is as it was. `busy` when another process is doing the same, and for a progress
    ///   handler.
    public func compact(progress: @Sendable (StoreProgress) -> Void = { _ in }) throws {
        try checkOpen()
        guard try engine.compact(.requested, progress: progress) else { throw StoreError.busyLog(path, holder: 0) }
    }

    /// Writes a store that holds everything of one moment to `path`, while this one is in use.
    ///
    /// It is on the disk on return.
    ///
    /// - Parameters:
    ///   - path: Nothing may be there yet.
    ///   - progress: Called on this thread with the bytes that were looked at. It may read and write.
    /// - Throws: ``StoreError``; then nothing is at `path`. `busy` for a progress handler, and when other processes compact the
    ///   store faster than it can be copied.
    public func backup(to path: String, progress: @Sendable (StoreProgress) -> Void = { _ in }) throws {
        try checkOpen()
        try engine.backup(to: path, progress: progress)
    }

    /// Copies a damaged store aside and puts its good part in its place.
    ///
    /// Flaws of the header that nothing is lost by, and which ``verify()`` names, are mended in the same way.
    ///
    /// - Parameters:
    ///   - path: The store. No process should have it open; one that has can't write to it any more.
    ///   - options: Where and how; its damage policy is not asked.
    ///   - progress: Called on this thread with the bytes that were copied aside.
    /// - Returns: What was found and kept, or `nil` when nothing is damaged: then nothing was changed.
    /// - Throws: ``StoreError``; then the file at `path` is as it was. `newerFormat` where a newer version wrote it,
    ///   `invalidConfiguration` on a network file system, unless the options allow that.
    public static func repair(
        at path: String,
        options: DeviceStoreOptions = DeviceStoreOptions(),
        progress: @Sendable (StoreProgress) -> Void = { _ in }
    ) throws -> DeviceStoreDamage? {
        do {
            let resolved = try options.environment.fileSystem.resolvingLinks(in: path)
            return try DeviceEngine.repair(resolved, options, progress: progress)
        } catch {
            throw StoreError.device(error, path)
        }
    }

    /// What the store does from time to time by itself, now: for stores that do nothing by themselves.
    package func maintain() { engine.maintain() }
}
