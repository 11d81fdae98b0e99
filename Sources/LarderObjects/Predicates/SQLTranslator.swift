#if Objects
internal import Foundation

/// A translator that converts predicates and sort orders to SQL.
struct SQLTranslator {
    /// A table in a query, identified by an alias.
    struct Source {
        let alias: String
        let entity: ResolvedEntity
        /// Whether the rows are those of the requested objects.
        let isRequested: Bool
        /// The identifier of the join that adds the table's row, or `nil` if the row always exists.
        var join: Int?
        /// The SQL values that the key path to the row force-unwraps.
        var unwrapped: [SQLValue] = []

        var key: String { alias + "." + ResolvedEntity.quotedKeyColumn }
        var rows: Set<Int> { join.map { [$0] } ?? [] }

        /// The row's primary key as a SQL value.
        var keyValue: SQLValue {
            var value = SQLValue(key, .key, rows: rows)
            value.column = .init(entity: entity.index, place: nil)
            value.unwrapped = unwrapped
            return value
        }
    }

    /// The components of a subquery that selects the objects in a to-many relationship.
    struct Members {
        /// The SQL of the `FROM` clause, without the keyword.
        let from: String
        let source: Source
        let conditions: [String]
        /// The identifiers of the joins whose rows must exist for the relationship to contain objects.
        let rows: Set<Int>
        /// The SQL values that the key path to the relationship force-unwraps.
        let unwrapped: [SQLValue]
    }

    /// The translation of one expression within a predicate.
    enum Fragment {
        /// An object, whose row may be missing if the key path to the object passes through an optional.
        case object(Source)
        case value(SQLValue)
        case condition(SQLCondition)
        /// An optional Boolean, which is `nil` if the condition `present` is false.
        case optionalCondition(SQLCondition, present: SQLCondition)
        /// A constant that is not encoded yet, because its encoding depends on the attribute that it is compared with.
        case constant(Any)
        case null
        case objects(Members)
        /// A range whose bounds are constants or SQL values.
        case range(Bounds, isClosed: Bool)
    }

    final class Bounds {
        let lower: Fragment
        let upper: Fragment
        init(_ lower: Fragment, _ upper: Fragment) {
            self.lower = lower
            self.upper = upper
        }
    }

    /// A join along a to-one relationship.
    private struct Join {
        let path: String
        /// The SQL of the joined table and the join condition.
        let clause: String
        let source: Source
        let number: Int
        /// The identifier of the join that adds the relationship's owner, or `nil` if the owner's row always exists.
        let origin: Int?
    }

    let context: ObjectContext
    var values: [ColumnValue] = []
    var variables: [PredicateExpressions.VariableID: Fragment] = [:]
    private(set) var dependencies = Dependencies()
    /// The columns that occur in comparisons, in order of occurrence.
    var compared: [SQLValue.Column] = []
    /// The names of the case-folded search columns, keyed by the name of the attribute's column.
    private(set) var foldedColumns: [String: String] = [:]
    /// The current nesting depth of the predicate's expressions.
    var depth = 0
    private var aliases = 0
    private var joinCount = 0
    /// The joins of the current query and its outer queries, with the outermost query first.
    ///
    /// Each path of to-one relationships is joined once.
    private var joins: [[Join]] = [[]]

    init(_ context: ObjectContext) { self.context = context }

    var model: ResolvedModel { context.model }
    /// The model indexes of the entities to which relationships in the query lead.
    var touched: Set<Int> { Set(dependencies.related.keys) }

    /// Returns a new table for an entity.
    ///
    /// The first table is that of the requested objects.
    mutating func source(_ entity: ResolvedEntity) -> Source {
        defer { aliases += 1 }
        if aliases > 0 { dependencies.insert(related: entity.index) }
        return Source(alias: "t\(aliases)", entity: entity, isRequested: aliases == 0)
    }

    /// Returns the name of a column in a table, and records that the query depends on the column.
    private mutating func column(_ place: Int, of source: Source) -> String {
        dependencies.insert(place, of: source)
        return "\(source.alias).\(source.entity.columns[place].quotedName)"
    }

    /// Binds a value to a new parameter, and returns the parameter's name, such as `?1`.
    mutating func bind(_ value: ColumnValue) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    /// Returns the JOIN clauses of the outermost query, with inner joins for the rows in `required`.
    ///
    /// If `inOrder` is `true`, SQLite reads the tables in the order of the clauses.
    func rootJoins(_ required: Set<Int>, inOrder: Bool = false) -> String {
        Self.clauses(joins[0], required, inner: inOrder ? " CROSS JOIN " : " JOIN ")
    }

    /// Returns the JOIN clauses of a query.
    ///
    /// Joins whose rows are required are inner joins, which SQLite can reorder.
    private static func clauses(_ joins: [Join], _ required: Set<Int>, inner keyword: String = " JOIN ") -> String {
        if joins.isEmpty { return "" }
        var required = required
        for join in joins.reversed() where required.contains(join.number) {
            if let origin = join.origin { required.insert(origin) }
        }
        let inner = joins.filter { required.contains($0.number) }.map { keyword + $0.clause }
        let outer = joins.filter { !required.contains($0.number) }.map { " LEFT JOIN " + $0.clause }
        return (inner + outer).joined()
    }

    /// Translates the condition of a nested query.
    ///
    /// - Returns: The condition as SQL, the nested query's JOIN clauses, and the identifiers of the outer queries' joins whose rows must
    ///   exist for the condition to be true.
    mutating func nested(
        _ body: (inout SQLTranslator) throws -> SQLCondition
    ) rethrows -> (sql: String, joins: String, rows: Set<Int>) {
        joins.append([])
        let formula = try body(&self).whenTrue
        let own = joins.removeLast()
        let rows = formula.rows
        return (formula.sql, Self.clauses(own, rows), rows.subtracting(own.map(\.number)))
    }

    /// Returns the table joined for a to-one relationship, adding the join to the query if necessary.
    mutating func joined(_ source: Source, _ relationship: ResolvedRelationship) -> Source {
        let path = "\(source.alias).\(relationship.name)"
        for level in joins {
            if var known = level.first(where: { $0.path == path })?.source {
                known.unwrapped = source.unwrapped
                return known
            }
        }
        var destination = self.source(model.entities[relationship.destination])
        joinCount += 1
        destination.join = joinCount
        let on: String
        switch relationship.storage {
        case .reference(let column):
            on = "\(destination.key) = \(self.column(column, of: source))"
        case .inverseReference(let column, _):
            on = "\(self.column(column, of: destination)) = \(source.key)"
        case .joinTable: on = "0"
        }
        // A path that starts in an outer query is joined here as well, because the joins of the outer queries are already complete.
        joins[joins.count - 1].append(
            Join(
                path: path,
                clause: "\(destination.entity.table) AS \(destination.alias) ON \(on)",
                source: destination,
                number: joinCount,
                origin: source.join
            )
        )
        destination.unwrapped = source.unwrapped
        return destination
    }

    /// Translates a to-many relationship to a subquery that selects the related objects.
    mutating func members(_ source: Source, _ relationship: ResolvedRelationship) -> Fragment {
        let destination = self.source(model.entities[relationship.destination])
        let table = "\(destination.entity.table) AS \(destination.alias)"
        var from = table
        let condition: String
        switch relationship.storage {
        case .reference(let column):
            condition = "\(destination.key) = \(self.column(column, of: source))"
        case .inverseReference(let column, _):
            condition = "\(self.column(column, of: destination)) = \(source.key)"
        case .joinTable(let join, let isSource):
            dependencies.insert(join)
            let link = "j\(destination.alias)"
            let other = "\(link).\(join.otherColumn(isSource: isSource).quotedIdentifier)"
            from = "\(join.table) AS \(link) JOIN \(table) ON \(destination.key) = \(other)"
            condition = "\(link).\(join.ownColumn(isSource: isSource).quotedIdentifier) = \(source.key)"
        }
        return .objects(
            Members(
                from: from,
                source: destination,
                conditions: [condition],
                rows: source.rows,
                unwrapped: source.unwrapped
            )
        )
    }

    /// Translates a reference to a property of a row in `source`.
    mutating func property(_ reference: PropertyReference, of source: Source) -> Fragment {
        switch reference {
        case .key: return .value(source.keyValue)
        case .attribute(let place):
            let column = self.column(place, of: source)
            if let folded = source.entity.foldedColumns[place] {
                foldedColumns[column] = self.column(folded, of: source)
            }
            var value = SQLValue(column, source.entity.description.attributes[place], rows: source.rows)
            value.column = .init(entity: source.entity.index, place: place)
            value.unwrapped = source.unwrapped
            return .value(value)
        case .relationship(let place):
            let relationship = source.entity.relationships[place]
            return relationship.isToMany ? members(source, relationship) : .object(joined(source, relationship))
        }
    }

    /// Translates a key path that starts at the object in a row of `source`.
    mutating func keyPath<Root: Object>(_ keyPath: PartialKeyPath<Root>, of source: Source) throws -> Fragment {
        if let reference = source.entity.description.propertiesByKeyPath[keyPath] {
            return property(reference, of: source)
        }
        guard let path = try PropertyProbe.path(of: keyPath, in: context) else {
            throw Self.unsupported(
                "a key path of \(source.entity.name) that is not a stored property",
                "Use stored properties, or filter the fetched objects in memory"
            )
        }
        var fragment = Fragment.object(source)
        var owner = source
        for step in path.properties {
            guard case .object(let source) = fragment else {
                throw Self.unsupported("a key path through the elements of a collection", "Use contains(where:) or any")
            }
            owner = source
            fragment = property(step, of: source)
        }
        if path.ending == .property { return fragment }
        if path.ending == .isEmpty {
            let isEmpty = SQLCondition.not(try existence(fragment))
            // If the object is missing, `isEmpty` of its relationship is `nil`.
            guard path.properties.count > 1 else { return .condition(isEmpty) }
            return .optionalCondition(isEmpty, present: .present(owner.keyValue))
        }
        let count = try subquery(fragment, select: "count(*)", where: nil)
        guard path.properties.count > 1 else { return .value(count) }
        var value = SQLValue("(CASE WHEN \(owner.key) IS NOT NULL THEN \(count.sql) END)", rows: owner.rows)
        value.unwrapped = owner.unwrapped
        return .value(value)
    }

    static func unsupported(_ node: String, _ wayOut: String) -> ObjectError {
        ObjectError(.unsupportedQuery, "The query can't be translated into SQL because of \(node). \(wayOut).")
    }
}

extension AttributeDescription {
    /// An attribute description for an object's id, which lets predicates use the id like an attribute.
    static let key = AttributeDescription(
        name: ResolvedEntity.keyColumn,
        keyPath: \ObjectID.rowID,
        coding: ObjectIDCoding.self,
        options: [],
        makeDefault: nil
    )
}

/// A coding that stores an object's id as the primary key.
enum ObjectIDCoding: AttributeCoding {
    static var isOptional: Bool { false }
    static var format: AttributeFormat { AttributeFormat("key", columnType: "INTEGER") }
    static func encode(_ value: ObjectID) -> ColumnValue { .integer(value.rowID) }
    static func decode(_ column: ColumnValue) -> ObjectID? { nil }
}
#endif
