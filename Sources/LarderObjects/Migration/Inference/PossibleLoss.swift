#if Objects
/// Stored data that a migration step may discard or change.
struct PossibleLoss: Hashable, Sendable {
    let kind: MigrationLoss.Kind
    /// The entity's name in the new version, or its stored name if the entity is dropped.
    let entity: String
    let property: String?
    var condition: LossCondition
    /// Whether the new version's declarations allow this loss.
    let isAllowed: Bool
    /// The declaration in the model that would allow this loss, such as `@Entity(dropping: ["fax"])`.
    let remedy: String
    /// Whether the migration step can lose only corrupt values.
    ///
    /// Losses of corrupt values are not counted before the migration begins.
    var isUnlikely = false
    /// The rule for which of several duplicate objects to keep, or `nil` if the model doesn't declare one.
    var kept: KeptObject?
    /// The columns of the new unique constraint that causes the loss.
    var group: [String]?

    /// Whether the model must allow this loss even if the database contains no affected data.
    ///
    /// Otherwise, a migration could succeed on a developer's empty database and fail on a user's.
    var mustAlwaysBeAllowed: Bool {
        switch kind {
        case .entity, .attribute, .relationship: true
        case .order, .value, .inexactValue, .missingValue, .duplicate, .link: false
        }
    }
}

/// A condition that selects the rows that lose data in a migration step.
///
/// The names of tables and columns are those of the stored schema.
enum LossCondition: Hashable, Sendable {
    /// All rows in `table`.
    case rows(table: String)
    /// The rows in `table` in which `column` is not NULL.
    case notNull(table: String, column: String)
    /// The rows in `table` in which `column` is NULL.
    case isNull(table: String, column: String)
    /// The rows whose value in `column` can't be converted exactly by the conversion at index `slot`.
    ///
    /// If `isInexact` is `true`, the conversion rounds the value. Otherwise, the value can't be converted.
    case outcome(table: String, column: String, slot: Int, isInexact: Bool)
    /// All rows except one in each group of rows with equal values in `columns`.
    case duplicates(table: String, columns: [String])
    /// All rows in the join table `table`.
    case links(table: String)
    /// All links except one of each object on side `a` of the relationship.
    case several(LinkQuery)
    /// The objects on side `a` of the relationship whose related objects are not ordered by id.
    case disordered(LinkQuery)
    /// The rows in `table`, on side `a` of the relationship, that have no links.
    case unlinked(table: String, LinkQuery)
}
#endif
