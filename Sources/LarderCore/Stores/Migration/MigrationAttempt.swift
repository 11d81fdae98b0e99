/// One look at both stores, and what follows from it.
struct MigrationAttempt {
    let report: StoreMigration.Report
    /// What to commit; `nil` when there is nothing to do.
    private(set) var batch: StoreBatch?
    private let plan: TransferPlan

    init(_ migration: StoreMigration, into destination: any KeyValueStore) throws {
        guard try !migration.isDone(in: destination) else {
            plan = TransferPlan([], into: destination)
            report = StoreMigration.Report(outcome: .alreadyDone)
            return
        }
        // What can't be read is left out of a listing: the check names it.
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
                .nothingThere
            } else {
                .carried
            }
        self.plan = plan
        report = StoreMigration.Report(
            outcome: outcome,
            transfer: StoreTransfer(
                carried: outcome == .carried ? plan.accepted.map(\.key) : [],
                refused: plan.refused
            ),
            kept: kept,
            unreadable: unreadable
        )
        if outcome == .carried { self.batch = batch }
    }

    /// The report after the commit.
    func finished(in destination: any KeyValueStore) -> StoreMigration.Report {
        StoreMigration.Report(
            outcome: .carried,
            transfer: plan.outcome(in: destination),
            kept: report.kept,
            unreadable: report.unreadable
        )
    }
}
