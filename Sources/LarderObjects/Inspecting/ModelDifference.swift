#if Objects
public import Foundation

/// What opening a file with a model would do to it.
public struct ModelDifference: Sendable, Hashable {
    /// The SQL that adds what the file lacks, in order.
    public let statements: [String]
    /// What can't be added; opening is refused when there is any.
    public let refusals: [String]

    /// Whether the file is as the model asks.
    public var isEmpty: Bool { statements.isEmpty && refusals.isEmpty }
}

extension ObjectModel {
    /// What opening a file with this model would do to it; changes nothing.
    ///
    /// - Parameter url: The file.
    /// - Returns: The difference.
    /// - Throws: ``ObjectError`` when the model is wrong, or the file is no database of object storage.
    public func difference(from url: URL) throws -> ModelDifference {
        let database = try ObjectDatabase(reading: url.path)
        defer { database.close() }
        let change = SchemaChange(from: database.description, to: try resolved())
        return ModelDifference(statements: change.statements, refusals: change.refusals)
    }
}

extension ObjectDatabase {
    /// What would make this file like another, which was made for a later model.
    ///
    /// The other file knows no former names and no defaults: a column that must have a value is refused here, where the
    /// program itself may know a default.
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
            refusals.append("The entity \(entity.name) is in \(path) alone.")
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
                refusals.append("\(label)\(column.name) is in \(path) alone.")
            }
            for column in entity.columns {
                guard let old = earlier.columns.first(where: { $0.name == column.name }) else {
                    let type = other.columnType(column, of: entity)
                    if column.isRequired { refusals.append("\(label)\(column.name) is new and needs a default.") }
                    statements.append(
                        "ALTER TABLE \(entity.name.quotedIdentifier) ADD COLUMN \(column.name.quotedIdentifier) \(type)"
                    )
                    continue
                }
                if old.format != column.format {
                    refusals.append(
                        "\(label)\(column.name) is \(old.format) in \(path) and \(column.format) in \(other.path)."
                    )
                } else if column.isRequired, !old.isRequired {
                    refusals.append("\(label)\(column.name) may be nil in \(path) alone.")
                }
            }
            for (kind, old, new) in [
                ("unique", earlier.unique, entity.unique), ("index", earlier.indexes, entity.indexes),
            ] {
                for group in new where !old.contains(group) {
                    statements += sql(SchemaStatements.indexName(entity.name, kind, group))
                }
                for group in old where !new.contains(group) {
                    refusals.append("\(entity.name): \(kind) \(group.joined(separator: ", ")) is in \(path) alone.")
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
