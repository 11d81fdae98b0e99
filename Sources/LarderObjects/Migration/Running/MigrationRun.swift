#if Objects
internal import GRDB

/// The execution of a migration step inside a transaction that the caller began.
///
/// If the run throws an error, the caller must roll back the transaction.
struct MigrationRun {
    /// The maximum number of rows that one statement writes.
    private static let chunk: Int64 = 16_384

    private let step: InferredStep
    private let model: ResolvedModel?
    private let statements: StatementCache
    private let stage: MigrationStage?
    private let makeDefault: ConversionFunctions.MakeDefault?
    private let control: MigrationControl

    /// Creates the execution of a migration step.
    ///
    /// - Parameters:
    ///   - step: The step to execute, whose `refusals` must be empty.
    ///   - model: The program's model, or `nil` if the step leads to a frozen version.
    ///   - statements: The statement cache of the connection.
    ///   - stage: The custom stage of the step, if any.
    ///   - makeDefault: A function that returns a closure for computing an attribute's default value. The default uses `model`.
    ///   - control: The controller that reports progress and can cancel the migration.
    init(
        _ step: InferredStep,
        model: ResolvedModel?,
        _ statements: StatementCache,
        stage: MigrationStage? = nil,
        makeDefault: ConversionFunctions.MakeDefault? = nil,
        control: MigrationControl = MigrationControl()
    ) {
        self.step = step
        self.model = model
        self.statements = statements
        self.stage = stage
        self.makeDefault = makeDefault
        self.control = control
    }

    /// Migrates all tables except Larder's own.
    ///
    /// The run drops Larder's triggers, which the caller must create after the last step.
    ///
    /// - Returns: The data that was lost.
    /// - Throws: ``ObjectError`` with code `modelMismatch` if data would be lost without permission, or `migrationFailed` if the custom
    ///   stage failed.
    func run() throws -> [MigrationLoss] {
        // The rows may have changed before the transaction, so the losses are counted again. Conversions and indexes detect further losses.
        let before = try LossQueries(step.withoutConversions, model: model, statements).find()
        if stage == nil { try MigrationRefusal(step, losses: before).check() }
        // SQLite would rewrite the triggers of renamed tables.
        try SharingSchema.dropTriggers(statements)
        let functions = ConversionFunctions(step.slots, model: model, makeDefault: makeDefault)
        let all = StepStatements(step)
        let migration = stage.map { Migration(step, all, $0, model: model, functions, statements.database, control) }
        defer { migration?.end() }
        var removed: [(removal: DuplicateRemoval, counts: [String: Int])] = []
        try functions.withFunctions(on: statements.database) {
            for statement in all.all {
                switch statement {
                case .sql(let sql): try PreparedStatement(sql, on: statements.database).run()
                case .filling(let filling): try fill(filling)
                case .stage: try migration?.run()
                case .stageEnd: try migration?.finish()
                case .duplicates(let removal):
                    removed.append((removal, try removal.run(step.to.schema, statements)))
                }
                if let error = functions.error { throw error }
            }
        }
        let losses = (before + losses(functions.ledger)).map { migration?.allowing($0) ?? $0 }
        try MigrationRefusal(step, losses: losses).check()
        if let migration { try migration.check() } else { try checkReferences() }
        return losses.filter { $0.count != 0 && $0.kind != .duplicate }
            + removed.flatMap { Self.losses($0.removal, $0.counts) } + (migration?.losses ?? [])
    }

    private func fill(_ filling: StepStatements.Filling) throws {
        let key = ResolvedEntity.quotedKeyColumn
        let table = filling.table.quotedIdentifier
        let end = try PreparedStatement(
            "SELECT max(\(key)) FROM (SELECT \(key) FROM \(table) WHERE \(key) > ? ORDER BY \(key) LIMIT \(Self.chunk))",
            on: statements.database
        )
        let statement = try PreparedStatement(filling.sql, on: statements.database)
        var last = Int64.min
        while true {
            end.bind(last, at: 1)
            guard try end.step(), let next = end.value(at: 0).integerValue else { return }
            try end.run()
            statement.bind(last, at: 1)
            statement.bind(next, at: 2)
            try statement.run()
            control.advance(filling.entity, rows: statements.database.changesCount)
            last = next
        }
    }

    private func losses(_ ledger: LossLedger) -> [MigrationLoss] {
        step.losses.compactMap { loss in
            let slot: Int
            switch (loss.condition, loss.kind) {
            case (.outcome(_, _, let place, _), _): slot = place
            case (.isNull, _):
                guard
                    let place = step.slots.firstIndex(where: {
                        $0.entity == loss.entity && $0.attribute == loss.property
                    })
                else { return nil }
                slot = place
            default: return nil
            }
            guard let entry = ledger.counts[.init(slot: slot, kind: loss.kind)] else { return nil }
            return MigrationLoss(loss, count: entry.count, ids: entry.ids)
        }
    }

    /// Returns the data losses caused by deleting duplicate objects, including objects deleted by cascade.
    private static func losses(_ removal: DuplicateRemoval, _ counts: [String: Int]) -> [MigrationLoss] {
        counts.sorted { $0.key < $1.key }.map { entity, count in
            MigrationLoss(
                kind: .duplicate,
                entity: entity,
                property: entity == removal.entity ? removal.group.joined(separator: ", ") : nil,
                count: count,
                objectIDs: [],
                isAllowed: true,
                remedy: ""
            )
        }
    }

    /// Throws an error if the migration left references to objects that it deleted.
    private func checkReferences() throws {
        let rebuilt = step.entities.filter { $0.work == .rebuild }.map(\.new)
        try DanglingReferences(in: rebuilt, statements).check()
    }
}

extension InferredStep {
    /// A copy of the step that excludes data losses caused by conversions.
    ///
    /// Data losses caused by conversions are counted while the conversions run.
    fileprivate var withoutConversions: InferredStep {
        var copy = self
        copy.losses = losses.filter { loss in
            switch loss.condition {
            case .outcome: false
            case .isNull:
                !slots.contains { $0.entity == loss.entity && $0.attribute == loss.property }
            case .rows, .notNull, .duplicates, .links, .several, .disordered, .unlinked: true
            }
        }
        return copy
    }
}

/// The reasons that prevent a migration.
struct MigrationRefusal {
    private let from: Int
    private let to: Int
    private let refusals: [String]
    private let losses: [MigrationLoss]

    init(_ step: InferredStep, losses: [MigrationLoss]) {
        self.init(from: step.from.version, to: step.to.version, refusals: step.refusals, losses: losses)
    }

    init(from: Int, to: Int, refusals: [String], losses: [MigrationLoss]) {
        self.from = from
        self.to = to
        self.refusals = refusals
        self.losses = losses.filter { !$0.isAllowed }
    }

    func check() throws {
        if let error { throw error }
    }

    /// The error to throw, or `nil` if nothing prevents the migration.
    var error: ObjectError? {
        guard !refusals.isEmpty || !losses.isEmpty else { return nil }
        let problems = refusals + losses.map(\.description)
        if !refusals.isEmpty {
            return ObjectError(
                .modelMismatch,
                "The file has the schema of another model and can't be migrated automatically, so nothing was changed. "
                    + "Fix the following problems in the model, or choose another file.",
                problems: problems,
                losses: losses
            )
        }
        let places = losses.count == 1 ? "1 place" : "\(losses.count) places"
        return ObjectError(
            .modelMismatch,
            "The file has version \(from) of the model, and migrating it to version \(to) would lose data in "
                + "\(places), so nothing was changed. Declare in the model how to handle each loss:",
            problems: problems,
            losses: losses
        )
    }
}
#endif
