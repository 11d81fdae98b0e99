#if Objects
internal import Foundation

/// Turns predicates and sort orders into SQL.
struct SQLTranslator {
    /// A row that a query has at hand.
    struct Source {
        let alias: String
        let entity: ResolvedEntity
        /// The number of the join that adds the row; `nil` for a row that is always there.
        var join: Int?
        /// Objects on the way to the row that were unwrapped by force.
        var unwrapped: [SQLValue] = []

        var key: String { alias + "." + ResolvedEntity.quotedKeyColumn }
        var rows: Set<Int> { join.map { [$0] } ?? [] }

        /// The primary key as a value.
        var keyValue: SQLValue {
            var value = SQLValue(key, .key, rows: rows)
            value.column = .init(entity: entity.index, place: nil)
            value.unwrapped = unwrapped
            return value
        }
    }

    /// The objects that a relationship to many leads to.
    struct Members {
        /// What follows FROM.
        let from: String
        let source: Source
        let conditions: [String]
        /// Joined rows without which there are no members.
        let rows: Set<Int>
        /// Objects on the way to the members that were unwrapped by force.
        let unwrapped: [SQLValue]
    }

    /// The part of a query that an expression stands for.
    enum Fragment {
        /// An object, whose row is there or, through an optional, may be missing.
        case object(Source)
        case value(SQLValue)
        case condition(SQLCondition)
        /// A condition about an optional: `nil` where the second condition, that there is a value, is false.
        case optionalCondition(SQLCondition, present: SQLCondition)
        /// A constant that is stored as what it is compared with.
        case constant(Any)
        case null
        case objects(Members)
        /// A range of constants or values.
        case range(Bounds, isClosed: Bool)
    }

    /// The two bounds of a range.
    final class Bounds {
        let lower: Fragment
        let upper: Fragment
        init(_ lower: Fragment, _ upper: Fragment) {
            self.lower = lower
            self.upper = upper
        }
    }

    /// A row that is joined to a query by a relationship to one.
    private struct Join {
        let path: String
        /// What follows JOIN.
        let clause: String
        let source: Source
        let number: Int
        /// The joined row that the relationship begins at.
        let origin: Int?
    }

    let context: ObjectContext
    var values: [ColumnValue] = []
    var variables: [PredicateExpressions.VariableID: Fragment] = [:]
    /// The entities whose rows the query reads besides those of the first.
    var touched: Set<Int> = []
    /// Columns that conditions compare with something, in order.
    var compared: [SQLValue.Column] = []
    /// For the column of a searchable attribute, the column that holds its folded text.
    private(set) var foldedColumns: [String: String] = [:]
    /// How many expressions of a predicate are being translated within each other.
    var depth = 0
    private var aliases = 0
    private var joinCount = 0
    /// What is joined to each level of nested queries; each path is joined once.
    private var joins: [[Join]] = [[]]

    init(_ context: ObjectContext) { self.context = context }

    var model: ResolvedModel { context.model }

    mutating func source(_ entity: ResolvedEntity) -> Source {
        defer { aliases += 1 }
        return Source(alias: "t\(aliases)", entity: entity)
    }

    /// Adds a parameter, and returns its name.
    mutating func bind(_ value: ColumnValue) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    /// The joins of the outermost query; those of `required` rows, without which no row passes the filter, are inner joins.
    func rootJoins(_ required: Set<Int>) -> String { Self.clauses(joins[0], required) }

    /// A join whose row must be there is an inner join, which SQLite may begin with.
    private static func clauses(_ joins: [Join], _ required: Set<Int>) -> String {
        if joins.isEmpty { return "" }
        var required = required
        for join in joins.reversed() where required.contains(join.number) {
            if let origin = join.origin { required.insert(origin) }
        }
        let inner = joins.filter { required.contains($0.number) }.map { " JOIN " + $0.clause }
        let outer = joins.filter { !required.contains($0.number) }.map { " LEFT JOIN " + $0.clause }
        return (inner + outer).joined()
    }

    /// Translates a condition of a nested query.
    ///
    /// - Returns: The condition in SQL, the joins it needs, and the joined rows of outer queries without which it is false.
    mutating func nested(
        _ body: (inout SQLTranslator) throws -> SQLCondition
    ) rethrows -> (sql: String, joins: String, rows: Set<Int>) {
        joins.append([])
        let formula = try body(&self).whenTrue
        let own = joins.removeLast()
        let rows = formula.rows
        return (formula.sql, Self.clauses(own, rows), rows.subtracting(own.map(\.number)))
    }

    /// The row that a relationship to one leads to.
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
        touched.insert(destination.entity.index)
        let on: String
        switch relationship.storage {
        case .reference(let column):
            on = "\(destination.key) = \(source.alias).\(source.entity.columns[column].quotedName)"
        case .inverseReference(let column, _):
            on = "\(destination.alias).\(destination.entity.columns[column].quotedName) = \(source.key)"
        case .joinTable: on = "0"
        }
        // A path that begins in an outer query is joined here all the same: joins of outer queries are already closed.
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

    /// The rows that a relationship to many leads to.
    mutating func members(_ source: Source, _ relationship: ResolvedRelationship) -> Fragment {
        let destination = self.source(model.entities[relationship.destination])
        touched.insert(destination.entity.index)
        let table = "\(destination.entity.table) AS \(destination.alias)"
        var from = table
        let condition: String
        switch relationship.storage {
        case .reference(let column):
            condition = "\(destination.key) = \(source.alias).\(source.entity.columns[column].quotedName)"
        case .inverseReference(let column, _):
            condition = "\(destination.alias).\(destination.entity.columns[column].quotedName) = \(source.key)"
        case .joinTable(let join, let isSource):
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

    /// A property of a row.
    mutating func property(_ reference: PropertyReference, of source: Source) -> Fragment {
        switch reference {
        case .key: return .value(source.keyValue)
        case .attribute(let place):
            let column = "\(source.alias).\(source.entity.columns[place].quotedName)"
            if let folded = source.entity.foldedColumns[place] {
                foldedColumns[column] = "\(source.alias).\(source.entity.columns[folded].quotedName)"
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

    /// A key path that begins at a row.
    mutating func keyPath<Root: Object>(_ keyPath: PartialKeyPath<Root>, of source: Source) throws -> Fragment {
        if let reference = source.entity.description.propertiesByKeyPath[keyPath] {
            return property(reference, of: source)
        }
        guard let path = try PropertyProbe.path(of: keyPath, in: context) else {
            throw Self.unsupported(
                "a key path of \(source.entity.name) that is no stored property",
                "use the stored properties it is made from, or filter the fetched objects"
            )
        }
        var fragment = Fragment.object(source)
        var owner = source
        for step in path.properties {
            guard case .object(let source) = fragment else {
                throw Self.unsupported("a key path through the elements of a collection", "use contains(where:) or any")
            }
            owner = source
            fragment = property(step, of: source)
        }
        if path.ending == .property { return fragment }
        if path.ending == .isEmpty {
            let isEmpty = SQLCondition.not(try existence(fragment))
            // An object that is not there is neither empty nor not.
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
        ObjectError(.unsupportedQuery, "A query can't be turned into SQL because of \(node): \(wayOut).")
    }
}

extension AttributeDescription {
    /// The id of an object.
    static let key = AttributeDescription(
        name: ResolvedEntity.keyColumn,
        keyPath: \ObjectID.rowID,
        coding: ObjectIDCoding.self,
        options: [],
        formerName: nil,
        makeDefault: nil
    )
}

/// The id of an object in the column of its primary key.
enum ObjectIDCoding: AttributeCoding {
    static var isOptional: Bool { false }
    static var format: AttributeFormat { AttributeFormat("key", columnType: "INTEGER") }
    static func encode(_ value: ObjectID) -> ColumnValue { .integer(value.rowID) }
    static func decode(_ column: ColumnValue) -> ObjectID? { nil }
}
#endif
