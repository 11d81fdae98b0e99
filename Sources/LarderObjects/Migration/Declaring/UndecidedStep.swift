#if Objects
/// A migration step that may lose data although the later version declares nothing about it.
package struct UndecidedStep: Sendable, Hashable {
    /// The version before the step.
    package let fromVersion: Int
    /// The version after the step.
    package let toVersion: Int
    /// What the step may lose, without numbers, which depend on the file.
    package let losses: [MigrationLoss]
    /// The differences that can't be migrated automatically.
    package let refusals: [String]
}

extension MigrationPath {
    /// The steps without a stage that may lose data, or that can't be inferred.
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
    /// The numbers of the versions in the model's plan, or `nil` if the model has no plan.
    ///
    /// - Throws: ``ObjectError`` with code `invalidModel` if a frozen version can't be read.
    package func plannedVersions() throws -> [Int]? { try plan?.versions.read().map(\.version) }

    /// Returns the undecided steps of the files of earlier versions.
    ///
    /// With a plan, a file takes every step from the first version to this model. Without one, it takes one step from its own version.
    ///
    /// - Parameter versions: The frozen versions in ascending order.
    /// - Returns: The steps that need a declaration or a stage.
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
