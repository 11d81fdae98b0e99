#if Objects
public import Foundation

/// The changes that opening a database with a model would make to the database.
public struct ModelDifference: Sendable, Hashable {
    /// The SQL statements of the migration, in order.
    ///
    /// A statement that writes rows runs once for each batch of object ids.
    public let statements: [String]
    /// The differences that can't be migrated, and the data losses that the model does not allow.
    ///
    /// If the array is not empty, opening the database fails.
    public let refusals: [String]

    /// Whether the stored schema already matches the model.
    public var isEmpty: Bool { statements.isEmpty && refusals.isEmpty }
}

extension ObjectModel {
    /// Returns the changes that opening a database with this model would make, without changing the database.
    ///
    /// - Parameter url: The URL of the database file.
    /// - Returns: The statements of the migration, and the reasons that prevent the migration.
    /// - Throws: ``ObjectError`` if the model is invalid, or if the file is not a LarderObjects database.
    public func difference(from url: URL) throws -> ModelDifference {
        let database = try ObjectDatabase(reading: url.path)
        defer { database.close() }
        let model = try resolved()
        let step = InferredStep(
            from: try database.stored.frozen(),
            to: try model.frozen(),
            isFirstFormat: database.stored.format < 2
        )
        if step.isEmpty { return ModelDifference(statements: [], refusals: []) }
        let losses = try database.reading { try LossQueries(step, model: model, $0).find() }
        return ModelDifference(
            statements: StepStatements(step).texts,
            refusals: step.refusals + losses.filter { !$0.isAllowed }.map(\.description)
        )
    }
}

extension ObjectDatabase {
    /// Returns the changes that would migrate this database to the schema of another database.
    ///
    /// The comparison includes relationships and their links. It ignores former names, delete rules and default values, so a new required
    /// column is refused even if its attribute has a default.
    package func difference(to other: ObjectDatabase) throws -> ModelDifference {
        var statements: [String] = []
        var refusals: [String] = []
        let made = try other.reading { cache in
            try cache.rows("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL") {
                ($0.value(at: 0), $0.value(at: 1))
            }
        }
        func sql(_ name: String) -> [String] {
            made.compactMap { row in
                guard case (.text(let found), .text(let sql)) = row, found == name else { return nil }
                return sql
            }
        }
        for entity in entities where !other.entities.contains(where: { $0.name == entity.name }) {
            refusals.append("The entity \(entity.name) exists only in \"\(path)\".")
        }
        for entity in other.entities {
            guard let earlier = entities.first(where: { $0.name == entity.name }) else {
                statements += sql(entity.name)
                for (kind, groups) in [("unique", entity.unique), ("index", entity.indexes)] {
                    for group in groups { statements += sql(SchemaStatements.indexName(entity.name, kind, group)) }
                }
                continue
            }
            let label = "\(entity.name)."
            for column in earlier.columns where !entity.columns.contains(where: { $0.name == column.name }) {
                refusals.append("The column \(label)\(column.name) exists only in \"\(path)\".")
            }
            for column in entity.columns {
                guard let old = earlier.columns.first(where: { $0.name == column.name }) else {
                    if column.isRequired {
                        refusals.append("The new required column \(label)\(column.name) needs a default value.")
                    }
                    let definition = other.definition(of: column, entity)
                    statements.append("ALTER TABLE \(entity.name.quotedIdentifier) ADD COLUMN \(definition)")
                    continue
                }
                if old.format != column.format {
                    refusals.append(
                        "The column \(label)\(column.name) has the format \(old.format) in \"\(path)\" and \(column.format) in \"\(other.path)\"."
                    )
                } else if column.isRequired, !old.isRequired {
                    refusals.append(
                        "The column \(label)\(column.name) is optional in \"\(path)\" and required in \"\(other.path)\"."
                    )
                }
            }
            for (kind, old, new) in [
                ("unique", earlier.unique, entity.unique), ("index", earlier.indexes, entity.indexes),
            ] {
                for group in new where !old.contains(group) {
                    statements += sql(SchemaStatements.indexName(entity.name, kind, group))
                }
                for group in old where !new.contains(group) {
                    let noun = kind == "unique" ? "unique constraint" : "index"
                    let columns = group.joined(separator: ", ")
                    refusals.append("The \(noun) on \(entity.name) (\(columns)) exists only in \"\(path)\".")
                }
            }
        }
        let links = linkTables
        for join in other.linkTables.values.sorted(by: { $0.name < $1.name }) where links[join.name] == nil {
            statements += sql(join.name) + sql("\(join.name).target")
        }
        refusals += linkRefusals(other) + relationshipRefusals(other)
        return ModelDifference(statements: statements, refusals: refusals)
    }

    /// Returns the definition of a column for `ALTER TABLE`.
    private func definition(of column: Column, _ entity: Entity) -> String {
        let described = description.entity(entity.name)?.column(column.name)
        return described.map(SchemaStatements.definition) ?? "\(column.name.quotedIdentifier) ANY"
    }

    /// The join tables of the many-to-many relationships, keyed by table name.
    private var linkTables: [String: SchemaStatements.JoinTable] {
        let tables = SchemaStatements(description).joinTables().map { ($0.table.name, $0.table) }
        return Dictionary(tables, uniquingKeysWith: { first, _ in first })
    }

    /// Returns a message for each join table that the other database lacks or that has different columns there.
    private func linkRefusals(_ other: ObjectDatabase) -> [String] {
        let links = other.linkTables
        return linkTables.values.sorted { $0.name < $1.name }.compactMap { join in
            guard let later = links[join.name] else {
                return "The join table \(join.name) exists only in \"\(path)\"."
            }
            return later == join
                ? nil : "The join table \(join.name) has different columns in \"\(path)\" and in \"\(other.path)\"."
        }
    }

    /// Returns a message for each relationship that the other database lacks or that refers to a different entity there.
    private func relationshipRefusals(_ other: ObjectDatabase) -> [String] {
        entities.flatMap { entity -> [String] in
            guard let later = other.entities.first(where: { $0.name == entity.name }) else { return [] }
            // A relationship that is stored in a column is compared with the columns.
            let columns = Set(entity.columns.map(\.name))
            return entity.relationships.compactMap { relationship in
                let label = "\(entity.name).\(relationship.name)"
                guard let found = later.relationships.first(where: { $0.name == relationship.name }) else {
                    return columns.contains(relationship.name)
                        ? nil : "The relationship \(label) exists only in \"\(path)\"."
                }
                return found.destination == relationship.destination
                    ? nil
                    : "The relationship \(label) refers to \(relationship.destination) in \"\(path)\" and to \(found.destination) in \"\(other.path)\"."
            }
        }
    }
}
#endif
