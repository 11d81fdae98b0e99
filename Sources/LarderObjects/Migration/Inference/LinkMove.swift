#if Objects
/// A query that reads the stored links of a relationship.
///
/// Each row contains the ids `a` and `b` of two related objects, and their positions if the relationship is ordered.
struct LinkQuery: Hashable, Sendable {
    /// The stored name of the table that contains the links.
    let table: String
    /// The quoted name of the column that contains the ids of the objects on side `a` of the relationship.
    let a: String
    let b: String
    /// The column with the position of `b` among the objects related to `a`, or `nil` if these objects are unordered.
    let aPosition: String?
    /// The column with the position of `a` among the objects related to `b`, or `nil` if these objects are unordered.
    let bPosition: String?
    /// The sides that change from to-many to to-one, so that each object keeps only one link.
    ///
    /// Surplus links are removed in the order of this array.
    var thinning: [Thinning] = []

    /// A side of a relationship that changes from to-many to to-one.
    struct Thinning: Hashable, Sendable {
        let isOfA: Bool
        let kept: KeptObject
    }

    /// The same query with the sides `a` and `b` of the relationship exchanged.
    var reversed: LinkQuery {
        LinkQuery(
            table: table,
            a: b,
            b: a,
            aPosition: bPosition,
            bPosition: aPosition,
            thinning: thinning.map { Thinning(isOfA: !$0.isOfA, kept: $0.kept) }
        )
    }

    /// Returns the SELECT statement that reads the links.
    ///
    /// - Parameter name: The current name of the source table, or `nil` if it has not been renamed.
    /// - Returns: The SQL statement.
    func sql(from name: String? = nil) -> String {
        let all =
            "SELECT \(a) AS a, \(b) AS b, \(aPosition ?? "NULL") AS aPosition, \(bPosition ?? "NULL") AS bPosition "
            + "FROM \((name ?? table).quotedIdentifier) WHERE \(a) IS NOT NULL AND \(b) IS NOT NULL"
        return thinning.reduce(all) { query, thinning in
            let (side, other) = thinning.isOfA ? ("a", "b") : ("b", "a")
            let order = thinning.kept == .newest ? " DESC" : ""
            return "SELECT a, b, aPosition, bPosition FROM (SELECT *, row_number() OVER "
                + "(PARTITION BY \(side) ORDER BY \(other)\(order)) AS n FROM (\(query))) WHERE n = 1"
        }
    }
}

/// The migration of a relationship's links to another table or column.
///
/// Side `a` is the side whose table has the new column, or the source of the new join table.
struct LinkMove: Hashable, Sendable {
    enum Target: Hashable, Sendable {
        case column(String, position: String?)
        case join(SchemaStatements.JoinTable)
    }

    let query: LinkQuery
    /// The name of the entity whose objects are on side `a` of the relationship.
    let entity: String
    let target: Target

    /// The temporary table that holds the links during the move.
    private static let links = "temp.larder_links"

    /// Returns the SQL statements that write the links to their new table or column.
    ///
    /// - Parameters:
    ///   - source: The name of the table that contains the old links.
    ///   - table: The name of the table that stores the objects of ``entity``.
    /// - Returns: The SQL statements in execution order.
    func statements(from source: String, into table: String) -> [String] {
        var statements = [
            "DROP TABLE IF EXISTS \(Self.links)", "CREATE TABLE \(Self.links) AS \(query.sql(from: source))",
        ]
        switch target {
        case .join(let join):
            var columns = [("source", "a"), ("target", "b")]
            if join.isSourceOrdered { columns.append(("sourcePosition", "aPosition")) }
            if join.isTargetOrdered { columns.append(("targetPosition", "bPosition")) }
            statements.append(
                "INSERT INTO \(join.name.quotedIdentifier) (\(columns.map(\.0).joined(separator: ", "))) "
                    + "SELECT \(columns.map(\.1).joined(separator: ", ")) FROM \(Self.links) ORDER BY a, b"
            )
        case .column(let column, let position):
            statements.append("CREATE INDEX temp.larder_links_a ON larder_links (a)")
            let key = ResolvedEntity.quotedKeyColumn
            let name = table.quotedIdentifier
            func value(_ column: String) -> String { "(SELECT \(column) FROM \(Self.links) WHERE a = \(name).\(key))" }
            let more = position.map { ", \($0.quotedIdentifier) = \(value("bPosition"))" } ?? ""
            statements.append(
                "UPDATE \(name) SET \(column.quotedIdentifier) = \(value("b"))\(more) WHERE \(key) IN (SELECT a FROM \(Self.links))"
            )
        }
        return statements + ["DROP TABLE \(Self.links)"]
    }
}
#endif
