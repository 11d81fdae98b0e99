/// One attempt to run a migration, with the entries read from both stores and the batch to commit.
struct MigrationAttempt {
    let report: StoreMigration.Report
    /// The batch to commit, or `nil` if there is nothing to migrate.
    private(set) var batch: StoreBatch?
    private let plan: TransferPlan

    init(_ migration: StoreMigration, into destination: any KeyValueStore) throws {
        guard try !migration.isDone(in: destination) else {
            plan = TransferPlan([], into: destination)
            report = StoreMigration.Report(outcome: .alreadyDone)
            return
        }
        // Listings omit unreadable entries; verification reports them.
        let unreadable = try migration.source.verify().problems
        var plan = TransferPlan(try migration.source.entries(prefix: migration.prefix), into: destination)
        var batch = StoreBatch()
        batch.origin = .imported
        batch.expect(nil, at: migration.marker)
        var kept: [String] = []
        if migration.conflicts == .keep {
            let present = try plan.accepted.map { try destination.get(StoreKey($0.key)) }
            for (entry, present) in zip(plan.accepted, present) {
                if let present, present != entry.value { kept.append(entry.key) }
                batch.expect(present, at: StoreKey(entry.key))
            }
            let keptKeys = Set(kept.map { StoreKey($0) })
            plan.accepted.removeAll { keptKeys.contains(StoreKey($0.key)) }
        }
        for entry in plan.accepted { batch.set(entry.value, for: StoreKey(entry.key)) }
        batch.set(.int(Int64(plan.accepted.count)), for: migration.marker)

        let isAll = plan.refused.isEmpty && unreadable.isEmpty
        let outcome: StoreMigration.Report.Outcome =
            if !isAll, migration.completeness == .all {
                .refused
            } else if isAll, plan.accepted.isEmpty, kept.isEmpty {
                .nothingToMigrate
            } else {
                .migrated
            }
        self.plan = plan
        report = StoreMigration.Report(
            outcome: outcome,
            transfer: StoreTransfer(
                copied: outcome == .migrated ? plan.accepted.map(\.key) : [],
                refused: plan.refused
            ),
            kept: kept,
            unreadable: unreadable
        )
        if outcome == .migrated { self.batch = batch }
    }

    /// Returns the final report after the batch has been committed to `destination`.
    func finished(in destination: any KeyValueStore) -> StoreMigration.Report {
        StoreMigration.Report(
            outcome: .migrated,
            transfer: plan.outcome(in: destination),
            kept: report.kept,
            unreadable: report.unreadable
        )
    }
}
