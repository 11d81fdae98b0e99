#if Objects
extension ObjectModel {
    /// The model with every relationship connected and every column in its place.
    ///
    /// - Throws: ``ObjectError`` of code `invalidModel` that lists every fault there is. No file has been touched.
    func resolved() throws -> ResolvedModel {
        var problems = namingProblems()
        let connections = connect(&problems)
        for index in descriptions.indices {
            problems += superclassProblems(descriptions[index])
            problems += optionProblems(descriptions[index])
            problems += constraintProblems(index, connections)
        }
        if version < 1 { problems.append("The model has version \(version): versions begin with 1.") }
        guard problems.isEmpty else {
            throw ObjectError(
                .invalidModel,
                "The model was not opened, and no file was touched, because its entities do not fit together:",
                problems: problems
            )
        }
        return ResolvedModel(entities: layOut(connections), version: version)
    }

    /// What is wrong with the class that an entity inherits from, which the macro can't tell from a protocol.
    private func superclassProblems(_ description: EntityDescription) -> [String] {
        guard let superclass = _getSuperclass(description.type) else { return [] }
        let name = String(reflecting: superclass)
        // The root of all Swift classes on Apple platforms.
        if name.hasSuffix("SwiftObject") { return [] }
        return [
            "\(description.name) inherits from \(name), and only properties of its own are stored: remove the superclass, and make what it "
                + "gives a protocol."
        ]
    }

    /// One end of a pair of relationships.
    struct End: Hashable {
        let entity: Int
        let relationship: Int
    }

    /// For each relationship its inverse; whether it is the one that names the other.
    struct Connection {
        let inverse: End
        let namesInverse: Bool
    }

    func relationship(_ end: End) -> RelationshipDescription {
        descriptions[end.entity].relationships[end.relationship]
    }
    func label(_ end: End) -> String { "\(descriptions[end.entity].name).\(relationship(end).name)" }

    /// Finds the inverse of every relationship.
    func connect(_ problems: inout [String]) -> [End: Connection] {
        var connections: [End: Connection] = [:]
        let entityIndexes = Dictionary(
            descriptions.enumerated().map { (ObjectIdentifier($1.type), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let ends = descriptions.indices.flatMap { entity in
            descriptions[entity].relationships.indices.map { End(entity: entity, relationship: $0) }
        }
        for end in ends {
            let relationship = relationship(end)
            if relationship.isOrdered, !relationship.isToMany {
                problems.append(
                    "\(label(end)) is ordered but leads to one object: only a relationship to many can be ordered."
                )
            }
            guard let destination = entityIndexes[ObjectIdentifier(relationship.destination)] else {
                problems.append(
                    "\(label(end)) leads to \(relationship.destination.entityDescription.name), which is not in the model: add it."
                )
                continue
            }
            guard let keyPath = relationship.inverse else { continue }
            guard case .relationship(let place)? = descriptions[destination].propertiesByKeyPath[keyPath] else {
                problems.append(
                    "\(label(end)) names an inverse that is no relationship of \(descriptions[destination].name), to which it leads."
                )
                continue
            }
            let other = End(entity: destination, relationship: place)
            if ObjectIdentifier(self.relationship(other).destination) != ObjectIdentifier(descriptions[end.entity].type)
            {
                problems.append(
                    "\(label(end)) names \(label(other)) as its inverse, which leads to "
                        + "\(self.relationship(other).destination.entityDescription.name) instead of back."
                )
            } else if other == end {
                problems.append("\(label(end)) names itself as its inverse: make two relationships of it.")
            } else if connections[end] != nil || connections[other] != nil {
                problems.append(
                    "\(label(end)) names \(label(other)) as its inverse, but one of them has an inverse already: "
                        + "name it on exactly one side."
                )
            } else {
                connections[end] = Connection(inverse: other, namesInverse: true)
                connections[other] = Connection(inverse: end, namesInverse: false)
            }
        }
        for end in ends where connections[end] == nil && relationship(end).inverse == nil {
            guard entityIndexes[ObjectIdentifier(relationship(end).destination)] != nil else { continue }
            problems.append(
                "\(label(end)) has no inverse: declare the relationship back in "
                    + "\(relationship(end).destination.entityDescription.name), and name it on one of the two sides."
            )
        }
        return connections
    }

    func namingProblems() -> [String] {
        var problems: [String] = []
        var entityNames: [String: String] = [:]
        for description in descriptions {
            // SQLite takes names that differ only in case for the same name.
            let name = description.name
            let key = name.lowercased()
            if let earlier = entityNames.updateValue(name, forKey: key) {
                problems.append(
                    earlier == name
                        ? "The model has the entity \(name) twice: list each class once."
                        : "The entities \(earlier) and \(name) differ only in case, which SQLite ignores."
                )
            }
            if let fault = nameFault(name, key) { problems.append("The entity \(name) \(fault)") }
            var propertyNames: [String: String] = [ResolvedEntity.keyColumn.lowercased(): ResolvedEntity.keyColumn]
            for name in description.attributes.map(\.name) + description.relationships.map(\.name) {
                let key = name.lowercased()
                if let earlier = propertyNames.updateValue(name, forKey: key) {
                    problems.append(
                        earlier == ResolvedEntity.keyColumn
                            ? "\(description.name).\(name) has the name of the primary key: choose another."
                            : "\(description.name).\(earlier) and \(description.name).\(name) differ only in case, which SQLite ignores."
                    )
                }
                if let fault = nameFault(name, key) { problems.append("\(description.name).\(name) \(fault)") }
            }
        }
        return problems
    }

    private func nameFault(_ name: String, _ lowercased: String) -> String? {
        if lowercased.hasPrefix("sqlite_") || lowercased.hasPrefix("larder_") {
            return "has a name that begins like the tables of SQLite or Larder: choose another."
        }
        // A dot and a comma divide the names of columns, tables and indexes that are made from several names.
        let dividers: (UInt8, UInt8, UInt8) = (UInt8(ascii: "."), UInt8(ascii: ","), 0)
        if name.isEmpty || name.utf8.contains(where: { $0 == dividers.0 || $0 == dividers.1 || $0 == dividers.2 }) {
            return "has a name that is empty, or has a dot, a comma or U+0000 in it: choose another."
        }
        return nil
    }

    /// Options that do not go together, or not with the attribute.
    private func optionProblems(_ description: EntityDescription) -> [String] {
        var problems: [String] = []
        var formerNames: [String: String] = [:]
        for attribute in description.attributes where !attribute.options.isEmpty || attribute.formerName != nil {
            let label = "\(description.name).\(attribute.name)"
            if attribute.options.contains(.searchable), attribute.format.name != "string" {
                problems.append("\(label) is searchable, but holds no text: only a String can be.")
            }
            guard let formerName = attribute.formerName else { continue }
            if formerName == attribute.name {
                problems.append("\(label) has its own name as its former name: remove \"was\".")
            } else if let other = formerNames.updateValue(attribute.name, forKey: formerName) {
                problems.append(
                    "\(label) and \(description.name).\(other) have the same former name, \(formerName): only one can have had it."
                )
            }
        }
        return problems
    }

    private func constraintProblems(_ index: Int, _ connections: [End: Connection]) -> [String] {
        let description = descriptions[index]
        if description.uniqueConstraints.isEmpty, description.indexes.isEmpty { return [] }
        let references = connections.filter { $0.key.entity == index && holdsReference($0.key, $0.value) }
        let names = Set(description.attributes.map(\.name) + references.map { relationship($0.key).name })
        var problems: [String] = []
        for (kind, groups) in [("uniqueness", description.uniqueConstraints), ("an index", description.indexes)] {
            for group in groups {
                if group.isEmpty { problems.append("\(description.name) asks for \(kind) of no properties at all.") }
                for name in group where !names.contains(name) {
                    problems.append(
                        "\(description.name) asks for \(kind) of \(name), which is no attribute of it, and no relationship whose links it stores."
                    )
                }
            }
        }
        return problems
    }
}
#endif
