#if Objects
/// A mapping from the names in a model to the names in a stored schema.
struct SchemaMatch {
    /// One side of a relationship, identified by its entity and name.
    struct Side: Hashable {
        let entity: String
        let name: String
    }

    private let old: [String: SchemaDescription.Entity]
    private let new: [String: SchemaDescription.Entity]
    /// The stored names of entities, keyed by the names in the model.
    private(set) var entities: [String: String] = [:]
    private var attributes: [Side: String] = [:]
    private var relationships: [Side: Side] = [:]
    private(set) var ambiguities: [String] = []

    init(from: SchemaDescription, to: SchemaDescription, equalNamesFirst: Bool) {
        old = Dictionary(from.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        new = Dictionary(to.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for (model, stored) in match(
            from.entities.map { ($0.name, $0.was) },
            to.entities.map { ($0.name, $0.was) },
            prefix: "",
            equalNamesFirst
        ) { entities[model] = stored }
        for entity in to.entities {
            guard let stored = entities[entity.name].flatMap({ old[$0] }) else { continue }
            for (model, name) in match(
                stored.attributes.map { ($0.name, $0.was) },
                entity.attributes.map { ($0.name, $0.was) },
                prefix: entity.name + ".",
                equalNamesFirst
            ) { attributes[Side(entity: entity.name, name: model)] = name }
            for (model, name) in match(
                stored.relationships.map { ($0.name, $0.was) },
                entity.relationships.map { ($0.name, $0.was) },
                prefix: entity.name + ".",
                equalNamesFirst
            ) { relationships[Side(entity: entity.name, name: model)] = Side(entity: stored.name, name: name) }
        }
    }

    private mutating func match(
        _ stored: [(String, [String]?)],
        _ model: [(String, [String]?)],
        prefix: String,
        _ equalNamesFirst: Bool
    ) -> [(model: String, stored: String)] {
        let matching = NameMatching(
            stored: stored.map { NameHistory(former: $0.1 ?? [], name: $0.0) },
            model: model.map { NameHistory(former: $0.1 ?? [], name: $0.0) },
            equalNamesFirst: equalNamesFirst
        )
        for ambiguity in matching.ambiguities {
            let names = ambiguity.models.map { prefix + model[$0].0 }.joined(separator: " and ")
            ambiguities.append(
                "\(names) both have the former name \(stored[ambiguity.stored].0). Freeze the intermediate versions, or remove one former name."
            )
        }
        return model.indices.compactMap { index in
            matching.storedIndex(of: index).map { (model[index].0, stored[$0].0) }
        }
    }

    /// Returns the name of an attribute in the stored schema, or `nil` if the attribute is new.
    func attribute(_ name: String, of entity: String) -> String? { attributes[Side(entity: entity, name: name)] }

    /// Returns the relationship in the stored schema that matches a relationship of the model, or `nil` if the relationship is new.
    func relationship(_ name: String, of entity: String) -> Side? { relationships[Side(entity: entity, name: name)] }

    func isMatched(_ side: Side) -> Bool { relationships.values.contains(side) }

    func old(_ side: Side) -> SchemaDescription.Relationship? {
        old[side.entity]?.relationships.first { $0.name == side.name }
    }
}

extension SchemaDescription.Entity {
    /// The columns that store attributes.
    var attributes: [SchemaDescription.Column] {
        columns.filter { !["reference", "position", "folded"].contains($0.format) }
    }

    func column(_ name: String) -> SchemaDescription.Column? { columns.first { $0.name == name } }

    /// The names of the entity's indexes.
    var indexNames: [String] { SchemaStatements.indexes(self).map(\.name) }
}
#endif
