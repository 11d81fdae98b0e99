public import LarderCore
import LarderFiles
import Synchronization

// What inspection tools display of a device store, beyond what they display of every store.
extension DeviceStore {
    /// Whether the store was opened read-only, or because its file is corrupt.
    private var isReadOnly: Bool { engine.identity == nil }

    /// Returns the store's ``statistics()``, its health, the processes that have it open, and its limitations.
    public func inspectionFacts() throws -> [InspectionFact] {
        let statistics = try statistics()
        var facts = [
            InspectionFact("entries", String(try count())),
            InspectionFact("live bytes", String(statistics.liveBytes)),
            InspectionFact("dead bytes", String(statistics.deadBytes)),
            InspectionFact("file bytes", String(statistics.fileBytes)),
            InspectionFact("generation", String(statistics.generation)),
            InspectionFact("health", health()),
        ]
        if let processes = try processes() {
            facts.append(InspectionFact("open in processes", processes.map(String.init).joined(separator: ", ")))
        }
        if isReadOnly { facts.append(InspectionFact("opened", "read-only, as it was at one moment")) }
        if let failure = statistics.compactionFailure { facts.append(InspectionFact("compaction failure", failure)) }
        return facts + guaranteeFacts
    }

    /// Returns the sentence that describes the state of the file.
    private func health() -> String {
        if let damage { return "\(damage)" }
        let failure = engine.enter { entrance -> StoreError? in
            guard entrance.sharing.hasFailed.load(ordering: .acquiring) else { return nil }
            return entrance.write { $0.failure }
        }
        return failure?.message ?? "good"
    }

    /// Returns the identifiers of the processes that have the store open, or `nil` if they are unknown.
    private func processes() throws -> [UInt64]? {
        do {
            return try engine.enter { try $0.sharing.control?.processes()?.sorted() }
        } catch {
            throw StoreError.device(error, path)
        }
    }

    /// Returns the numbers of the file and the commits.
    ///
    /// The percentiles are those of the last 1,024 commits and syncs that were observed. They are measured only while the store is observed
    /// by ``observeForInspection(_:)``, so that a commit costs nothing more otherwise.
    public func inspectionStatistics() throws -> [InspectionStatistic] {
        let statistics = try statistics()
        return [
            InspectionStatistic("entries", Double(statistics.entries)),
            InspectionStatistic("live bytes", Double(statistics.liveBytes), .gauge, .bytes),
            InspectionStatistic("dead bytes", Double(statistics.deadBytes), .gauge, .bytes),
            InspectionStatistic("file bytes", Double(statistics.fileBytes), .gauge, .bytes),
            InspectionStatistic("commits", Double(try revision), .counter),
        ] + engine.enter { $0.observers.meters.statistics }
    }

    /// The actions "verify", "backup" and, unless the store is read-only, "compact".
    public var inspectionActions: [InspectionAction] {
        isReadOnly ? [.verify, .backup(path)] : [.verify, .compact, .backup(path)]
    }

    /// Carries out one of ``inspectionActions``.
    ///
    /// An action that is canceled by its progress leaves the store, and the folder of a backup, as they were.
    @available(*, noasync, message: "This call blocks until the action ends. Call it on a thread of its own.")
    public func perform(
        _ action: InspectionAction,
        writingTo file: String?,
        progress: (StoreProgress) throws -> Void
    ) throws -> [InspectionFact] {
        if action.name == InspectionAction.verify.name { return try runVerification(telling: progress).inspectionFacts }
        try checkOpen()
        var cancellation: (any Error)?
        func tell(_ new: StoreProgress) throws {
            do { try progress(new) } catch {
                cancellation = error
                throw error
            }
        }
        do {
            switch action.name {
            case InspectionAction.compact.name:
                let before = try statistics().fileBytes
                try engine.enter { try Compaction.runOnRequest(telling: tell, &$0) }
                let after = try statistics().fileBytes
                return [
                    InspectionFact("file bytes before", String(before)), InspectionFact("file bytes", String(after)),
                ]
            case InspectionAction.backup(path).name:
                guard let file else { throw StoreError.backupWithoutFile(path) }
                try engine.enter { try Backup.run(to: file, telling: tell, &$0) }
                return []
            default: return []
            }
        } catch {
            // The store would wrap the error in one that blames the disk.
            throw cancellation ?? error
        }
    }
}

extension DeviceStore: VerifyingStore {
    package func runVerification(telling progress: (StoreProgress) throws -> Void) throws -> StoreVerification {
        try checkOpen()
        var cancellation: (any Error)?
        func tell(_ new: StoreProgress) throws {
            do { try progress(new) } catch {
                cancellation = error
                throw error
            }
        }
        do {
            return try engine.enter { try Verification.run(&$0, progress: tell) }
        } catch {
            throw cancellation ?? error
        }
    }
}

extension DeviceStore: MeasuringStore {
    package func countInspections(_ difference: Int) { engine.enter { $0.observers.meters.count(difference) } }
}
