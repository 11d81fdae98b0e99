#if Objects
/// A migration step that needs a declaration or a custom stage, because it may lose data or can't be inferred.
package struct UndecidedStep: Sendable, Hashable {
    /// The model version before the step.
    package let fromVersion: Int
    /// The model version after the step.
    package let toVersion: Int
    /// The data that the step may lose.
    ///
    /// The `count` of each loss is `nil`, because the number of lost values depends on the database.
    package let losses: [MigrationLoss]
    /// The differences that can't be migrated automatically.
    package let refusals: [String]
}

extension MigrationPath {
    /// The steps that need a declaration or a custom stage.
    var undecided: [UndecidedStep] {
        steps.compactMap { step in
            let (inferred, isCustom) = (step.inferred, step.stage != nil)
            // What a stage leaves undecided is known when it runs.
            let losses = isCustom ? [] : inferred.losses.filter { !$0.isAllowed && !$0.isUnlikely }
            guard !losses.isEmpty || !inferred.refusals.isEmpty else { return nil }
            return UndecidedStep(
                fromVersion: inferred.from.version,
                toVersion: inferred.to.version,
                losses: losses.map { MigrationLoss($0, count: nil, ids: []) },
                refusals: inferred.refusals
            )
        }
    }
}

extension ObjectModel {
    /// Returns the frozen versions in the model's migration plan, or `nil` if the model has no plan.
    ///
    /// - Throws: ``ObjectError`` with code `invalidModel` if a frozen version can't be read.
    package func plannedVersions() throws -> [Int]? { try plan?.versions.read().map(\.version) }

    /// Returns the migration steps from earlier versions that need a declaration or a custom stage.
    ///
    /// If the model has a migration plan, the steps lead from each version to the next. Otherwise, one step leads from each version to this
    /// model.
    ///
    /// - Parameter versions: The frozen versions in ascending order.
    /// - Returns: The steps in ascending order.
    /// - Throws: ``ObjectError`` with code `invalidModel` if the model is invalid, or if a stage does not lead from one of the versions to
    ///   the next one.
    package func undecidedSteps(_ versions: [FrozenModel]) throws -> [UndecidedStep] {
        let resolved = try resolved()
        let target = try resolved.frozen()
        let earlier = versions.filter { $0.version < target.version }
        func undecided(from version: FrozenModel, _ plan: MigrationPlan?) throws -> [UndecidedStep] {
            var path = try MigrationPath(from: version, isFirstFormat: false, plan: plan, to: target)
            path.refuseLostDefaults(resolved)
            return path.undecided
        }
        guard let plan else { return try earlier.flatMap { try undecided(from: $0, nil) } }
        let frozen = MigrationPlan(versions: .models(earlier), stages: plan.stages)
        return try undecided(from: earlier.first ?? target, frozen)
    }
}
#endif
