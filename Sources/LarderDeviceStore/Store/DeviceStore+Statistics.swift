import LarderCore
import LarderFiles
import Synchronization

/// Statistics about the file of a ``DeviceStore``.
public struct DeviceStoreStatistics: Sendable, Hashable {
    /// The number of entries, including reserved records and expired entries that have not been removed yet.
    public let entries: Int
    /// The total size in bytes of the current entries in the file.
    public let liveBytes: Int
    /// The size of the log in bytes.
    ///
    /// The log includes current entries, replaced entries, and framing.
    public let usedBytes: Int
    /// The size of the file in bytes.
    ///
    /// The file includes the log and the space that is reserved for future commits.
    public let fileBytes: Int
    /// The number of times the file has been rewritten, plus one.
    public let generation: UInt64
    /// A message that explains why the last automatic compaction in this process failed and what to do, or `nil` if there was no failure.
    ///
    /// After a failure, ``usedBytes`` grows with each commit until a compaction succeeds.
    public let compactionFailure: String?

    /// The maximum number of bytes that a compaction could reclaim.
    public var deadBytes: Int { max(0, usedBytes - LogFormat.headerSize - liveBytes) }
}

extension DeviceStore {
    /// Returns statistics about the store and its file, including commits made by other processes.
    ///
    /// This method makes one system call.
    ///
    /// - Returns: The statistics, which are consistent with one another.
    /// - Throws: `StoreError` if the store can't be read.
    public func statistics() throws -> DeviceStoreStatistics {
        try checkOpen()
        return try engine.enter { try Reading.statistics(&$0) }
    }
}
