public import LarderCore
import LarderFiles
import Synchronization

/// What the file of a ``DeviceStore`` is made of at one moment.
public struct DeviceStoreStatistics: Sendable, Hashable {
    /// How many entries there are, Larder's own and expired ones that were not removed yet included.
    public let entries: Int
    /// What the current entries take in the file, in bytes.
    public let liveBytes: Int
    /// What the log takes, in bytes: the current entries, those that were replaced, and what frames them.
    public let usedBytes: Int
    /// The size of the file, in bytes: the log, and what is reserved for the next commits.
    public let fileBytes: Int
    /// How many times the file was written anew, and one.
    public let generation: UInt64
    /// Why the last compaction that was due failed in this process, and what to do about it; `nil` if it succeeded or none was due.
    ///
    /// Until one succeeds, ``usedBytes`` grows with each commit.
    public let compactionFailure: String?

    /// What a compaction would give back at most, in bytes.
    public var deadBytes: Int { max(0, usedBytes - LogFormat.headerSize - liveBytes) }
}

extension DeviceStore {
    /// What the file is made of now, other processes' commits included.
    ///
    /// Costs one inquiry to the system.
    ///
    /// - Returns: The figures of one moment.
    /// - Throws: ``StoreError`` when the store can't be read.
    public func statistics() throws -> DeviceStoreStatistics {
        try checkOpen()
        return try engine.enter { try Reading.statistics(&$0) }
    }

    /// What ``statistics()`` says, and each limitation the store declares.
    public func inspectionFacts() throws -> [InspectionFact] {
        let statistics = try statistics()
        return [
            InspectionFact("entries", String(try count())),
            InspectionFact("live bytes", String(statistics.liveBytes)),
            InspectionFact("dead bytes", String(statistics.deadBytes)),
            InspectionFact("file bytes", String(statistics.fileBytes)),
            InspectionFact("generation", String(statistics.generation)),
        ] + [statistics.compactionFailure].compactMap { $0.map { InspectionFact("compaction failure", $0) } }
            + capabilities.limitations.map { InspectionFact("limitation", $0) }
    }
}
