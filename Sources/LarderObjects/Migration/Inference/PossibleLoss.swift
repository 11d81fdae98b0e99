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
    /// The declaration that allows this loss.
    let remedy: String
    /// Whether the step can lose only corrupt values.
    ///
    /// Losses of corrupt values are not counted before the migration begins.
    var isUnlikely = false
    /// The duplicate to keep, or `nil` if the model doesn't declare one.
    var kept: KeptObject?
    /// The columns of a new unique constraint.
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

/// A condition that selects stored rows that lose data.
///
/// Tables and columns have their stored names.
enum LossCondition: Hashable, Sendable {
    /// All rows in a table.
    case rows(table: String)
    /// The rows whose column is not NULL.
    case notNull(table: String, column: String)
    /// The rows whose column is NULL.
    case isNull(table: String, column: String)
    /// The rows whose value the conversion at index `slot` rounds, if `isInexact` is `true`, or otherwise can't convert.
    case outcome(table: String, column: String, slot: Int, isInexact: Bool)
    /// All rows except one in each group with the same values in the given columns.
    case duplicates(table: String, columns: [String])
    /// All links in a join table.
    case links(table: String)
    /// All links of each object on side `a` except one.
    case several(LinkQuery)
    /// The objects on side `a` whose related objects are not ordered by id.
    case disordered(LinkQuery)
    /// The rows in the table of side `a` that have no links.
    case unlinked(table: String, LinkQuery)
}
#endif
