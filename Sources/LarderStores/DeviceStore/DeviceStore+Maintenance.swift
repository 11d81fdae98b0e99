public import LarderCore
import LarderFiles

extension DeviceStore {
    /// Reads the whole file again, checks every commit, and compares the result with what is in memory.
    ///
    /// - Returns: What was checked, and every problem found.
    /// - Throws: ``StoreError`` when the check itself could not be carried out.
    public func verify() throws -> StoreVerification {
        try checkOpen()
        return try engine.verify()
    }

    /// Writes the file anew with only what is current.
    ///
    /// Happens by itself when it pays.
    ///
    /// - Throws: ``StoreError``; then the store is as it was. `busy` when another process is doing the same.
    public func compact() throws {
        try checkOpen()
        guard try engine.compact(.requested) else { throw StoreError.busyLog(path, holder: 0) }
    }

    /// Writes a store that holds everything of one moment to `path`, while this one is in use.
    ///
    /// It is on the disk on return.
    ///
    /// - Parameter path: Nothing may be there yet.
    /// - Throws: ``StoreError``; then nothing is at `path`.
    public func backup(to path: String) throws {
        try checkOpen()
        try engine.backup(to: path)
    }

    /// Copies a damaged store aside and puts its good part in its place.
    ///
    /// - Parameters:
    ///   - path: The store. No process should have it open; one that has can't write to it any more.
    ///   - options: Where and how; its damage policy is not asked.
    /// - Returns: What was found and kept, or `nil` when nothing is damaged: then nothing was changed.
    /// - Throws: ``StoreError``; then the file at `path` is as it was.
    public static func repair(
        at path: String,
        options: DeviceStoreOptions = DeviceStoreOptions()
    ) throws -> DeviceStoreDamage? {
        do {
            return try DeviceEngine.repair(options.environment.fileSystem.resolvingLinks(in: path), options)
        } catch {
            throw StoreError.device(error, path)
        }
    }

    /// What the store does from time to time by itself, now: for stores that do nothing by themselves.
    package func maintain() { engine.maintain() }
}
