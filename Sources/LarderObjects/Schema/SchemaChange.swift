#if Objects
import LarderCore

/// How a model differs from the database it meets.
struct SchemaChange {
    /// What to run to add what the model has and the database lacks.
    var statements: [String] = []
    /// What to bind to each statement, beside it.
    var values: [[ColumnValue]] = []
    /// What can't be added; nothing is run when there is any.
    var refusals: [String] = []

    var isEmpty: Bool { statements.isEmpty && refusals.isEmpty }

    /// The difference between the description in a database and a model.
    init(from stored: SchemaDescription, to model: ResolvedModel) {
        let current = SchemaDescription(model)
        let make = SchemaStatements(model: model)
        let stored = renamed(stored, as: model)
        let storedEntities = Dictionary(stored.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let added = Set(current.entities.map(\.name)).subtracting(storedEntities.keys)
        for entity in stored.entities where !current.entities.contains(where: { $0.name == entity.name }) {
            refusals.append("The entity \(entity.name) is in the file and not in the model.")
        }
        for description in current.entities {
            guard let entity = model.entity(named: description.name) else { continue }
            guard let earlier = storedEntities[description.name] else {
                add(make.table(entity))
                for index in make.indexes(entity) { add(index.sql) }
                continue
            }
            compareColumns(entity, earlier, description, added: added, make)
            compareRelationships(earlier, description, added: added)
            compareIndexes(entity, earlier, description, make)
        }
        let storedJoins = Set(stored.entities.flatMap(\.relationships).compactMap(\.joinTable))
        for (join, statements) in make.joinTables() where !storedJoins.contains(join.name) {
            for statement in statements { add(statement) }
        }
    }

    /// The stored description after the renames that the model asks for.
    ///
    /// A name that is free only after another rename is taken in a later round.
    private mutating func renamed(_ stored: SchemaDescription, as model: ResolvedModel) -> SchemaDescription {
        var stored = stored
        for place in stored.entities.indices {
            guard let entity = model.entity(named: stored.entities[place].name) else { continue }
            var waiting = entity.description.attributes.filter { $0.formerName != nil }
            var isStuck = false
            while !waiting.isEmpty, !isStuck {
                isStuck = true
                for attribute in waiting {
                    guard let old = attribute.formerName else { continue }
                    let names = Set(stored.entities[place].columns.map(\.name))
                    guard names.contains(old), !names.contains(attribute.name) else { continue }
                    rename(old, to: attribute.name, in: &stored.entities[place])
                    if names.contains(old + ".folded") {
                        rename(old + ".folded", to: attribute.name + ".folded", in: &stored.entities[place])
                    }
                    waiting.removeAll { $0.name == attribute.name }
                    isStuck = false
                }
            }
        }
        return stored
    }

    /// Renames one column, and the indexes that are named after it.
    private mutating func rename(_ old: String, to new: String, in entity: inout SchemaDescription.Entity) {
        add(
            "ALTER TABLE \(entity.name.quotedIdentifier) RENAME COLUMN \(old.quotedIdentifier) TO \(new.quotedIdentifier)"
        )
        guard let column = entity.columns.firstIndex(where: { $0.name == old }) else { return }
        entity.columns[column].name = new
        func groups(_ kind: String, _ groups: [[String]]) -> [[String]] {
            groups.map { group in
                guard group.contains(old) else { return group }
                let result = group.map { $0 == old ? new : $0 }
                add("DROP INDEX \(SchemaStatements.indexName(entity.name, kind, group).quotedIdentifier)")
                add(SchemaStatements.index(entity.name, kind, result))
                return result
            }
        }
        entity.unique = groups("unique", entity.unique)
        entity.indexes = groups("index", entity.indexes)
    }

    private mutating func add(_ statement: String, _ values: [ColumnValue] = []) {
        statements.append(statement)
        self.values.append(values)
    }

    private mutating func compareColumns(
        _ entity: ResolvedEntity,
        _ earlier: SchemaDescription.Entity,
        _ description: SchemaDescription.Entity,
        added: Set<String>,
        _ make: SchemaStatements
    ) {
        for column in earlier.columns where !description.columns.contains(where: { $0.name == column.name }) {
            refusals.append("\(entity.name).\(column.name) is in the file and not in the model.")
        }
        for (place, column) in description.columns.enumerated() {
            guard let old = earlier.columns.first(where: { $0.name == column.name }) else {
                addColumn(entity, place, added: added, make)
                continue
            }
            if old.format != column.format || old.destination != column.destination {
                refusals.append(
                    "\(entity.name).\(column.name) is \(old.format) in the file and \(column.format) in the model."
                )
            } else if column.isRequired, !old.isRequired {
                refusals.append("\(entity.name).\(column.name) may be nil in the file and not in the model.")
            }
        }
    }

    private mutating func addColumn(
        _ entity: ResolvedEntity,
        _ place: Int,
        added: Set<String>,
        _ make: SchemaStatements
    ) {
        let column = entity.columns[place]
        switch column.role {
        case .attribute(let attribute):
            let value: ColumnValue
            do {
                value = try entity.description.attributes[attribute].makeDefault?() ?? .null
            } catch {
                let problem = (error as? UnstorableValue)?.problem ?? ErrorCause.text(error)
                refusals.append("\(entity.name).\(column.name) is new, and its default is \(problem).")
                return
            }
            if column.isRequired, value.isNull {
                refusals.append(
                    "\(entity.name).\(column.name) is new, is not optional, and has no default for the objects that are there."
                )
                return
            }
            add("ALTER TABLE \(entity.table) ADD COLUMN \(make.definition(column))")
            if !value.isNull { add("UPDATE \(entity.table) SET \(column.quotedName) = ?", [value]) }
        case .folded(let attribute):
            add("ALTER TABLE \(entity.table) ADD COLUMN \(make.definition(column))")
            add(
                "UPDATE \(entity.table) SET \(column.quotedName) = larder_folded(\(entity.columns[attribute].quotedName))"
            )
        case .reference, .position:
            let destination = column.destination.map { make.model.entities[$0].name } ?? ""
            if column.isRequired || !added.contains(destination) {
                refusals.append(
                    "\(entity.name).\(column.name) is a new relationship between entities that were there before."
                )
                return
            }
            add("ALTER TABLE \(entity.table) ADD COLUMN \(make.definition(column))")
        }
    }

    private mutating func compareRelationships(
        _ earlier: SchemaDescription.Entity,
        _ description: SchemaDescription.Entity,
        added: Set<String>
    ) {
        for old in earlier.relationships {
            guard let new = description.relationships.first(where: { $0.name == old.name }) else {
                refusals.append("The relationship \(earlier.name).\(old.name) is in the file and not in the model.")
                continue
            }
            // A relationship to one object may become optional; where its links are must not change.
            var comparable = new
            if old.cardinality != "many", new.cardinality != "many" { comparable.cardinality = old.cardinality }
            comparable.deleteRule = old.deleteRule
            if comparable != old {
                refusals.append("The relationship \(earlier.name).\(old.name) is not the one in the file.")
            }
        }
        for new in description.relationships where !added.contains(new.destination) {
            if !earlier.relationships.contains(where: { $0.name == new.name }) {
                refusals.append(
                    "The relationship \(earlier.name).\(new.name) is new, between entities that were there before."
                )
            }
        }
    }

    private mutating func compareIndexes(
        _ entity: ResolvedEntity,
        _ earlier: SchemaDescription.Entity,
        _ description: SchemaDescription.Entity,
        _ make: SchemaStatements
    ) {
        for group in earlier.unique where !description.unique.contains(group) {
            refusals.append(
                "\(entity.name): \(group.joined(separator: ", ")) is unique in the file and not in the model."
            )
        }
        let oldColumns = Set(earlier.columns.map(\.name))
        for group in description.unique where !earlier.unique.contains(group) {
            if group.allSatisfy(oldColumns.contains) {
                refusals.append(
                    "\(entity.name): \(group.joined(separator: ", ")) is unique in the model and not in the file."
                )
            }
        }
        for group in earlier.indexes where !description.indexes.contains(group) {
            refusals.append(
                "\(entity.name): the index of \(group.joined(separator: ", ")) is in the file and not in the model."
            )
        }
        let known = Set(
            earlier.unique.map { "unique" + $0.joined(separator: ",") }
                + earlier.indexes.map { "index" + $0.joined(separator: ",") }
        )
        for index in make.indexes(entity) {
            let suffix = index.name.dropFirst(entity.name.count + 1).split(separator: ".", maxSplits: 1)
            guard suffix.count == 2, !known.contains("\(suffix[0])\(suffix[1])") else { continue }
            add(index.sql)
        }
    }
}
#endif
