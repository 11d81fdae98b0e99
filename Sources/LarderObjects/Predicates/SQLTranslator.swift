#if Objects
internal import Foundation

/// Turns predicates and sort orders into SQL.
struct SQLTranslator {
    /// A row that a query has at hand.
    struct Source {
        let alias: String
        let entity: ResolvedEntity

        var key: String { alias + "." + ResolvedEntity.quotedKeyColumn }
    }

    /// The part of a query that an expression stands for.
    enum Fragment {
        /// An object, whose row is there or, through an optional, may be missing.
        case object(Source)
        /// A value in SQL, with the attribute it comes from, which says how constants beside it are stored.
        case value(String, AttributeDescription?)
        /// A condition, or another value that is 0 or 1.
        case condition(String)
        /// A constant that nothing has told yet how to be stored.
        case constant(Any)
        /// Nothing.
        case null
        /// The objects that a relationship to many leads to: what follows FROM, and the row they come from.
        case objects(from: String, Source, conditions: [String])
        /// A range of constants or values.
        case range(Fragment2, isClosed: Bool)
    }

    /// Two bounds.
    final class Fragment2 {
        let lower: Fragment
        let upper: Fragment
        init(_ lower: Fragment, _ upper: Fragment) {
            self.lower = lower
            self.upper = upper
        }
    }

    let context: ObjectContext
    var values: [ColumnValue] = []
    var variables: [PredicateExpressions.VariableID: Fragment] = [:]
    /// Every entity whose rows the query looks at beside the first.
    var touched: Set<Int> = []
    /// For the column of a searchable attribute, the one that holds its text without case and accents.
    private(set) var foldedColumns: [String: String] = [:]
    private var aliases = 0
    /// What has been joined to each level of nested queries, so that one path is joined once.
    private var joins: [[(path: String, clause: String, source: Source)]] = [[]]

    init(_ context: ObjectContext) { self.context = context }

    var model: ResolvedModel { context.model }

    mutating func source(_ entity: ResolvedEntity) -> Source {
        defer { aliases += 1 }
        return Source(alias: "t\(aliases)", entity: entity)
    }

    /// The parameter of a value.
    mutating func bind(_ value: ColumnValue) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    /// What was joined at the outermost level.
    var rootJoins: String { joins[0].map(\.clause).joined() }

    /// Runs `body` for a nested query, and returns what it joined.
    mutating func nested<Result>(_ body: (inout SQLTranslator) throws -> Result) rethrows -> (Result, joins: String) {
        joins.append([])
        let result = try body(&self)
        let clauses = joins.removeLast().map(\.clause).joined()
        return (result, clauses)
    }

    /// The row that a relationship to one leads to.
    mutating func joined(_ source: Source, _ relationship: ResolvedRelationship) -> Source {
        let path = "\(source.alias).\(relationship.name)"
        for level in joins { if let known = level.first(where: { $0.path == path }) { return known.source } }
        let destination = self.source(model.entities[relationship.destination])
        touched.insert(destination.entity.index)
        let on: String
        switch relationship.storage {
        case .reference(let column):
            on = "\(destination.key) = \(source.alias).\(source.entity.columns[column].quotedName)"
        case .inverseReference(let column, _):
            on = "\(destination.alias).\(destination.entity.columns[column].quotedName) = \(source.key)"
        case .joinTable: on = "0"
        }
        let clause = " LEFT JOIN \(destination.entity.table) AS \(destination.alias) ON \(on)"
        // A path that begins in an outer query is joined here all the same: joins of outer queries are already closed.
        joins[joins.count - 1].append((path, clause, destination))
        return destination
    }

    /// The rows that a relationship to many leads to.
    mutating func members(_ source: Source, _ relationship: ResolvedRelationship) -> Fragment {
        let destination = self.source(model.entities[relationship.destination])
        touched.insert(destination.entity.index)
        let table = "\(destination.entity.table) AS \(destination.alias)"
        switch relationship.storage {
        case .reference(let column):
            return .objects(
                from: table,
                destination,
                conditions: ["\(destination.key) = \(source.alias).\(source.entity.columns[column].quotedName)"]
            )
        case .inverseReference(let column, _):
            return .objects(
                from: table,
                destination,
                conditions: ["\(destination.alias).\(destination.entity.columns[column].quotedName) = \(source.key)"]
            )
        case .joinTable(let join, let isSource):
            let link = "j\(destination.alias)"
            let own = "\(link).\(join.ownColumn(isSource: isSource).quotedIdentifier)"
            let other = "\(link).\(join.otherColumn(isSource: isSource).quotedIdentifier)"
            return .objects(
                from: "\(join.table) AS \(link) JOIN \(table) ON \(destination.key) = \(other)",
                destination,
                conditions: ["\(own) = \(source.key)"]
            )
        }
    }

    /// A property of a row.
    mutating func property(_ reference: PropertyReference, of source: Source) -> Fragment {
        switch reference {
        case .key: return .value(source.key, .key)
        case .attribute(let place):
            let column = "\(source.alias).\(source.entity.columns[place].quotedName)"
            if let folded = source.entity.foldedColumns[place] {
                foldedColumns[column] = "\(source.alias).\(source.entity.columns[folded].quotedName)"
            }
            return .value(column, source.entity.description.attributes[place])
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
        let sql =
            path.ending == .count
            ? try subquery(fragment, select: "count(*)", where: nil)
            : "(NOT EXISTS \(try subquery(fragment, select: "1", where: nil)))"
        // An object that is not there has no count.
        let value = path.properties.count == 1 ? sql : "(CASE WHEN \(owner.key) IS NOT NULL THEN \(sql) END)"
        return path.ending == .count ? .value(value, nil) : .condition(value)
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
