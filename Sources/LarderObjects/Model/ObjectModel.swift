#if Objects
/// The entities that a database stores, and the version of its schema.
///
/// Increase the version if you change the classes in a way that an older version of the program can't read. Opening a database that has a
/// higher version than the model fails and leaves the database unchanged.
public struct ObjectModel: Sendable {
    let descriptions: [EntityDescription]
    let version: Int
    let dropped: [String]
    let plan: MigrationPlan?

    /// Creates a model.
    ///
    /// The model is validated when a manager opens it. If the model is invalid, a single error reports all problems.
    ///
    /// - Parameters:
    ///   - entities: The entity classes.
    ///   - version: The version of the schema, which must be at least 1.
    ///   - dropped: The entities of earlier versions whose objects a migration may delete, by their most recent names.
    ///   - plan: The frozen earlier versions and the custom stages between them. Without a plan, a database is migrated in one inferred
    ///     step.
    public init(
        _ entities: [any Object.Type],
        version: Int = 1,
        dropped: [String] = [],
        plan: MigrationPlan? = nil
    ) {
        self.init(descriptions: entities.map { $0.entityDescription }, version: version, dropped: dropped, plan: plan)
    }

    package init(
        descriptions: [EntityDescription],
        version: Int = 1,
        dropped: [String] = [],
        plan: MigrationPlan? = nil
    ) {
        self.descriptions = descriptions
        self.version = version
        self.dropped = dropped
        self.plan = plan
    }
}
#endif
