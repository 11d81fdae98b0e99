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
    /// The comparison ignores former names and default values, so a new required column is refused even if its attribute has a default.
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
                    let type = other.columnType(column, of: entity)
                    if column.isRequired {
                        refusals.append("The new required column \(label)\(column.name) needs a default value.")
                    }
                    statements.append(
                        "ALTER TABLE \(entity.name.quotedIdentifier) ADD COLUMN \(column.name.quotedIdentifier) \(type)"
                    )
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
        return ModelDifference(statements: statements, refusals: refusals)
    }

    private func columnType(_ column: Column, of entity: Entity) -> String {
        description.entities.first { $0.name == entity.name }?.columns.first { $0.name == column.name }?.type ?? "ANY"
    }
}
#endif
