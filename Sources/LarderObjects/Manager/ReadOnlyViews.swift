#if Objects
/// Temporary views that adapt the stored tables to another version of the model.
///
/// SQLite resolves names in the temporary schema first, so a view hides the table of the same name. Queries on a view use the indexes of
/// the underlying table.
struct ReadOnlyViews {
    /// The SQL statements that create the views.
    private(set) var statements: [String] = []
    /// The names of the entities in the model that can't be read from the stored tables.
    private(set) var entities: Set<String> = []
    /// The entities and properties of the model that the database lacks, such as `Order` and `Order.fax`.
    private(set) var unavailable: [String] = []

    private let file: SchemaDescription
    private let model: FrozenModel
    private let resolved: ResolvedModel
    private let names: Names

    /// A mapping from names in the model to stored names.
    private struct Names {
        var entities: [String: String] = [:]
        var attributes: [SchemaMatch.Side: String] = [:]
        var relationships: [SchemaMatch.Side: SchemaMatch.Side] = [:]

        init(_ stored: FrozenModel, _ model: FrozenModel, isFirstFormat: Bool) {
            let isNewer = stored.version > model.version
            let (earlier, later) = isNewer ? (model.schema, stored.schema) : (stored.schema, model.schema)
            let match = SchemaMatch(from: earlier, to: later, equalNamesFirst: isFirstFormat)
            func side(_ entity: String, _ name: String) -> SchemaMatch.Side { .init(entity: entity, name: name) }
            for entity in later.entities {
                guard let old = match.entities[entity.name] else { continue }
                entities[isNewer ? old : entity.name] = isNewer ? entity.name : old
                for attribute in entity.attributes {
                    guard let name = match.attribute(attribute.name, of: entity.name) else { continue }
                    if isNewer {
                        attributes[side(old, name)] = attribute.name
                    } else {
                        attributes[side(entity.name, attribute.name)] = name
                    }
                }
                for relationship in entity.relationships {
                    guard let other = match.relationship(relationship.name, of: entity.name) else { continue }
                    let this = side(entity.name, relationship.name)
                    if isNewer { relationships[other] = this } else { relationships[this] = other }
                }
            }
        }
    }

    init(_ stored: FrozenModel, isFirstFormat: Bool, _ resolved: ResolvedModel) throws {
        file = stored.schema
        model = try resolved.frozen()
        self.resolved = resolved
        names = Names(stored, model, isFirstFormat: isFirstFormat)
        for entity in model.schema.entities { try add(entity) }
        for join in SchemaStatements(model.schema).joinTables().map(\.table) { add(join) }
    }

    private mutating func add(_ entity: SchemaDescription.Entity) throws {
        let view = "CREATE TEMP VIEW \(entity.name.quotedIdentifier) AS SELECT "
        var columns: [String] = []
        var isReadable = true
        let table = names.entities[entity.name].flatMap(file.entity)
        if table == nil {
            unavailable.append(entity.name)
            isReadable = false
        }
        for column in entity.columns {
            var source = try table.map { try self.source(of: column, entity, $0) } ?? nil
            if source == nil, table != nil {
                if !["position", "folded"].contains(column.format) {
                    unavailable.append("\(entity.name).\(column.name)")
                }
                source = try constant(column, entity)
                if source == nil, column.isRequired { isReadable = false }
            }
            columns.append("\(source ?? "NULL") AS \(column.name.quotedIdentifier)")
        }
        if let table, isReadable {
            let list = [ResolvedEntity.quotedKeyColumn] + columns
            statements.append(view + "\(list.joined(separator: ", ")) FROM main.\(table.name.quotedIdentifier)")
            return
        }
        // An empty view hides an unrelated table of the same name.
        entities.insert(entity.name)
        let list =
            ["NULL AS \(ResolvedEntity.quotedKeyColumn)"] + entity.columns.map { "NULL AS \($0.name.quotedIdentifier)" }
        statements.append(view + "\(list.joined(separator: ", ")) WHERE 0")
    }

    /// Returns the SQL expression for a column of the model, or `nil` if the database lacks the column.
    private func source(
        of column: SchemaDescription.Column,
        _ entity: SchemaDescription.Entity,
        _ table: SchemaDescription.Entity
    ) throws -> String? {
        switch column.format {
        case "folded":
            let attribute = String(column.name.dropLast(".folded".count))
            guard let name = names.attributes[.init(entity: entity.name, name: attribute)] else { return nil }
            if table.column(name + ".folded")?.format == "folded" { return (name + ".folded").quotedIdentifier }
            return value(of: name, table, as: "string").map { "larder_folded(\($0))" }
        case "reference": return reference(column.name, entity, table)?.quotedIdentifier
        case "position":
            let relationship = String(column.name.dropLast(".position".count))
            guard let name = reference(relationship, entity, table).map({ $0 + ".position" }),
                table.column(name)?.format == "position"
            else { return nil }
            return name.quotedIdentifier
        default:
            return names.attributes[.init(entity: entity.name, name: column.name)].flatMap {
                value(of: $0, table, as: column.format)
            }
        }
    }

    /// Returns the SQL expression for a stored attribute in a format, or `nil` if no value can be converted to the format.
    private func value(of name: String, _ table: SchemaDescription.Entity, as format: String) -> String? {
        table.column(name).flatMap { SQLFunctions.converted(name.quotedIdentifier, from: $0.format, to: format) }
    }

    /// Returns the stored reference column of a relationship, or `nil` if no such column exists.
    private func reference(
        _ relationship: String,
        _ entity: SchemaDescription.Entity,
        _ table: SchemaDescription.Entity
    ) -> String? {
        guard let side = side(relationship, of: entity.name), side.entity == table.name,
            table.column(side.name)?.format == "reference"
        else { return nil }
        return side.name
    }

    /// Returns the stored relationship that corresponds to a relationship in the model and has the same destination.
    private func side(_ name: String, of entity: String) -> SchemaMatch.Side? {
        guard let relationship = model.schema.entity(entity)?.relationships.first(where: { $0.name == name }) else {
            return nil
        }
        func matches(_ relationship: SchemaDescription.Relationship, _ side: SchemaMatch.Side) -> Bool {
            file.entity(side.entity)?.relationships.first { $0.name == side.name }?.destination
                == names.entities[relationship.destination]
        }
        if let side = names.relationships[.init(entity: entity, name: name)], matches(relationship, side) {
            return side
        }
        // If the relationship's name has no match, the name of its inverse may have one.
        guard let inverse = model.schema.inverse(of: relationship),
            let other = names.relationships[.init(entity: relationship.destination, name: inverse.name)],
            matches(inverse, other),
            let found = file.entity(other.entity)?.relationships.first(where: { $0.name == other.name })
        else { return nil }
        return .init(entity: found.destination, name: found.inverse)
    }

    /// Returns the default value of a missing column as an SQL literal, or `nil` if the attribute has no default.
    private func constant(_ column: SchemaDescription.Column, _ entity: SchemaDescription.Entity) throws -> String? {
        let isFolded = column.format == "folded"
        let name = isFolded ? String(column.name.dropLast(".folded".count)) : column.name
        let attribute = resolved.entity(named: entity.name)?.description.attributes.first { $0.name == name }
        guard let value = try attribute?.makeDefault?(), !value.isNull else { return nil }
        return isFolded ? value.searchFolded.sqlLiteral : value.sqlLiteral
    }

    private mutating func add(_ join: SchemaStatements.JoinTable) {
        let name = String(join.name.dropFirst(join.source.count + 1))
        let columns = SchemaStatements.columns(join)
        let view = "CREATE TEMP VIEW \(join.name.quotedIdentifier) AS SELECT "
        guard let side = side(name, of: join.source),
            let found = file.entity(side.entity)?.relationships.first(where: { $0.name == side.name }),
            found.joinTable != nil, let links = file.links(side, .init(entity: found.destination, name: found.inverse))
        else {
            if names.entities[join.source] != nil { unavailable.append("\(join.source).\(name)") }
            statements.append(view + "\(columns.map { "NULL AS \($0)" }.joined(separator: ", ")) WHERE 0")
            return
        }
        var list = ["\(links.a) AS \"source\"", "\(links.b) AS \"target\""]
        if join.isSourceOrdered { list.append("\(links.aPosition ?? "NULL") AS \"sourcePosition\"") }
        if join.isTargetOrdered { list.append("\(links.bPosition ?? "NULL") AS \"targetPosition\"") }
        statements.append(view + "\(list.joined(separator: ", ")) FROM main.\(links.table.quotedIdentifier)")
    }
}
#endif
