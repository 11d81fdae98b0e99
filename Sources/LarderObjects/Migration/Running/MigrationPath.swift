#if Objects
/// An inferred migration step, optionally followed by a custom stage.
struct PathStep {
    var inferred: InferredStep
    let stage: MigrationStage?
}

/// The migration steps from the version of a database to the program's model.
struct MigrationPath {
    private(set) var steps: [PathStep] = []

    /// Plans the steps of a migration.
    ///
    /// - Parameters:
    ///   - stored: The model stored in the database.
    ///   - isFirstFormat: Whether the database has format 1, which lacks former names and Swift types.
    ///   - plan: The frozen versions and the custom stages.
    ///   - target: The program's model.
    /// - Throws: ``ObjectError`` with code `invalidModel` if a frozen version can't be read, or if a stage does not lead from a frozen
    ///   version to the next one.
    init(from stored: FrozenModel, isFirstFormat: Bool, plan: MigrationPlan?, to target: FrozenModel) throws {
        let frozen = try plan?.versions.read().filter { $0.version < target.version } ?? []
        let known = frozen + [target]
        let stages = plan?.stages ?? []
        try Self.check(stages, known.map(\.version))
        var (current, isFirst) = (stored, isFirstFormat)
        func add(_ next: FrozenModel, _ stage: MigrationStage?) {
            let inferred = InferredStep(from: current, to: next, isFirstFormat: isFirst, isCustom: stage != nil)
            steps.append(PathStep(inferred: inferred, stage: stage))
            (current, isFirst) = (next, false)
        }
        // A development build may have stored a model that differs from the frozen model of the same version.
        if let same = frozen.first(where: { $0.version == stored.version }), same.fingerprint != stored.fingerprint {
            add(same, nil)
        }
        for next in known where next.version > current.version || next.version == target.version {
            add(next, stages.first { $0.from == current.version && $0.to == next.version })
        }
    }

    private static func check(_ stages: [MigrationStage], _ versions: [Int]) throws {
        let problems = stages.compactMap { stage -> String? in
            guard let place = versions.firstIndex(of: stage.from), versions.contains(stage.to) else {
                let missing = versions.contains(stage.from) ? stage.to : stage.from
                return
                    "The stage from \(stage.from) to \(stage.to) needs version \(missing), which is not frozen. "
                    + "Freeze the version, or correct the stage."
            }
            guard place + 1 < versions.count, versions[place + 1] == stage.to else {
                return
                    "The stage from \(stage.from) to \(stage.to) skips a frozen version. Split it into one stage per version."
            }
            return nil
        }
        guard problems.isEmpty else {
            throw ObjectError(
                .invalidModel,
                "The migration plan is invalid, so nothing was changed. Fix the following problems.",
                problems: problems
            )
        }
    }

    /// Returns the closure that computes a new attribute's default value for each object.
    ///
    /// The closure is declared by the corresponding attribute in the program's model, which may have a different name there.
    ///
    /// - Parameters:
    ///   - attribute: The name of the attribute.
    ///   - entity: The name of the entity.
    ///   - index: The index of the step that adds the attribute.
    ///   - model: The program's model.
    /// - Returns: The closure, or `nil` if the program's model does not have the attribute in the same format.
    func makeDefault(
        _ attribute: String,
        of entity: String,
        addedBy index: Int,
        _ model: ResolvedModel
    ) -> (@Sendable () throws -> ColumnValue)? {
        var (entity, attribute) = (entity, attribute)
        let format = steps[index].inferred.to.schema.entity(entity)?.column(attribute)?.format
        for step in steps[(index + 1)...].map(\.inferred) {
            guard let next = step.entities.first(where: { $0.old?.name == entity })?.new.name,
                let name = step.to.schema.entity(next)?.attributes.first(where: {
                    step.match.attribute($0.name, of: next) == attribute
                })?.name
            else { return nil }
            (entity, attribute) = (next, name)
        }
        return model.entity(named: entity)?.description.attributes
            .first { $0.name == attribute && $0.format.name == format }?.makeDefault
    }

    /// Adds a refusal for each computed default whose code is no longer in the program.
    ///
    /// - Parameter model: The program's model, or `nil` if the migration ends at a frozen version.
    mutating func refuseLostDefaults(_ model: ResolvedModel?) {
        for index in steps.indices.dropLast(model == nil ? 0 : 1) where steps[index].stage == nil {
            let step = steps[index].inferred
            for entity in step.entities where entity.old != nil {
                for case .perRow(let attribute) in entity.sources
                where model.flatMap({ makeDefault(attribute, of: entity.new.name, addedBy: index, $0) }) == nil {
                    steps[index].inferred.refusals.append(
                        "\(entity.new.name).\(attribute) was added in version \(step.to.version) with a default that is computed for "
                            + "each object, but this program no longer contains the attribute. Write a stage from \(step.from.version) to \(step.to.version)."
                    )
                }
            }
        }
    }

    /// Estimates the number of rows that each step writes.
    ///
    /// - Parameter counts: The number of stored rows of each entity, keyed by entity name.
    /// - Returns: The number of rows for each step.
    func rows(_ counts: [String: Int]) -> [Int] {
        var counts = counts
        return steps.map { step in
            let written = step.inferred.entities.filter { entity in
                step.stage != nil || entity.work == .rebuild
                    || entity.work == .alter && entity.additions.contains { $0.source != .null }
            }
            let rows = written.compactMap { $0.old.flatMap { counts[$0.name] } }.reduce(0, +)
            counts = Dictionary(
                step.inferred.entities.map { ($0.new.name, $0.old.flatMap { counts[$0.name] } ?? 0) },
                uniquingKeysWith: { first, _ in first }
            )
            return rows
        }
    }

    /// Counts the data that the steps would lose, on a read-only connection.
    ///
    /// Losses of custom stages are omitted. Losses in rows that an earlier step changes can't be counted, and are omitted unless the model
    /// must allow them even if no data is affected.
    ///
    /// - Parameters:
    ///   - model: The program's model, or `nil` if the migration ends at a frozen version.
    ///   - statements: The statement cache of the connection.
    /// - Returns: The losses in the order of the steps.
    /// - Throws: ``ObjectError`` if the file can't be read.
    func losses(_ model: ResolvedModel?, _ statements: StatementCache) throws -> [MigrationLoss] {
        guard let first = steps.first?.inferred else { return [] }
        var lineage = SchemaLineage(first.from.schema)
        var losses: [MigrationLoss] = []
        for (index, step) in steps.enumerated() {
            defer { lineage.follow(step) }
            guard step.stage == nil, !step.inferred.losses.isEmpty else { continue }
            var counted = step.inferred
            counted.losses = []
            var uncounted: [MigrationLoss] = []
            for var loss in step.inferred.losses {
                if let condition = lineage.condition(loss.condition, step.inferred.from.schema) {
                    loss.condition = condition
                    counted.losses.append(loss)
                } else if loss.mustAlwaysBeAllowed {
                    uncounted.append(MigrationLoss(loss, count: nil, ids: []))
                }
            }
            let isLast = index == steps.count - 1
            losses += try LossQueries(counted, model: isLast ? model : nil, statements).find() + uncounted
        }
        return losses
    }

    /// Returns whether a backup is needed, because the migration runs a custom stage or may lose data.
    ///
    /// - Parameter losses: The losses that were counted before the migration.
    /// - Returns: `true` if the database must be backed up before the migration.
    func needsBackup(_ losses: [MigrationLoss]) -> Bool {
        losses.contains { $0.count != 0 } || steps.contains { $0.stage != nil }
            || steps.dropFirst().contains { $0.inferred.losses.contains { !$0.isUnlikely } }
    }

    /// Returns an error that lists the reasons that prevent the migration.
    ///
    /// - Parameter losses: The losses that were counted before the migration.
    /// - Returns: The error, or `nil` if the migration can run.
    func refusal(_ losses: [MigrationLoss]) -> ObjectError? {
        guard let first = steps.first?.inferred, let last = steps.last?.inferred else { return nil }
        return MigrationRefusal(
            from: first.from.version,
            to: last.to.version,
            refusals: steps.flatMap(\.inferred.refusals),
            losses: losses
        ).error
    }
}
#endif
