#if Objects
/// Data in the file that a migration step may discard or change.
struct PossibleLoss: Hashable, Sendable {
    let kind: MigrationLoss.Kind
    /// The entity's name in the new version, or its name in the file if the entity is dropped.
    let entity: String
    let property: String?
    var condition: LossCondition
    /// Whether the new version's declarations allow this loss.
    let isAllowed: Bool
    /// The declaration with which a model allows this loss.
    let remedy: String
    /// Whether only damaged values can be lost.
    ///
    /// Such a loss is not counted before the migration begins.
    var isUnlikely = false
    /// The object that the model declares to keep, or `nil` if it declares none.
    var kept: KeptObject?
    /// The columns that a new unique constraint covers.
    var group: [String]?

    /// Whether the model must allow this loss even if the file contains no affected data.
    ///
    /// Otherwise, migrating an empty file during development would succeed, but migrating a user's file would fail.
    var mustAlwaysBeAllowed: Bool {
        switch kind {
        case .entity, .attribute, .relationship: true
        case .order, .value, .inexactValue, .missingValue, .duplicate, .link: false
        }
    }
}

/// A condition that selects the rows in the file that lose data.
///
/// All table and column names are the names in the file.
enum LossCondition: Hashable, Sendable {
    /// All rows in a table.
    case rows(table: String)
    /// The rows whose column contains a value.
    case notNull(table: String, column: String)
    /// The rows whose column is NULL.
    case isNull(table: String, column: String)
    /// The rows whose value the conversion with the index `slot` changes or can't convert.
    case outcome(table: String, column: String, slot: Int, isInexact: Bool)
    /// In each group of rows with the same values in the given columns, all rows except one.
    case duplicates(table: String, columns: [String])
    /// All links in a join table.
    case links(table: String)
    /// For each object on side `a` with several links, all of its links except one.
    case several(LinkQuery)
    /// The objects on side `a` whose links are not in insertion order.
    case disordered(LinkQuery)
    /// The rows in the table of side `a` that have no link.
    case unlinked(table: String, LinkQuery)
}
#endif
