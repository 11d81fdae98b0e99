#if Objects
extension ObjectModel {
    /// Validates the model, connects every relationship with its inverse, and assigns a column to every property.
    ///
    /// - Throws: ``ObjectError`` with code `invalidModel` and a list of all problems.
    func resolved() throws -> ResolvedModel {
        var problems = namingProblems()
        let connections = connect(&problems)
        for index in descriptions.indices {
            problems += superclassProblems(descriptions[index])
            problems += optionProblems(descriptions[index])
            problems += constraintProblems(index, connections)
        }
        problems += declarationProblems()
        if version < 1 { problems.append("The model's version is \(version). Set a version of at least 1.") }
        guard problems.isEmpty else {
            throw ObjectError(
                .invalidModel,
                "The model is invalid, so no file was opened. Fix the following problems.",
                problems: problems
            )
        }
        return ResolvedModel(entities: layOut(connections), version: version, dropped: dropped, plan: plan)
    }

    /// Returns an error message if the class inherits from a superclass.
    private func superclassProblems(_ description: EntityDescription) -> [String] {
        guard let superclass = _getSuperclass(description.type) else { return [] }
        let name = String(reflecting: superclass)
        // On Apple platforms, this is the root class of all Swift classes.
        if name.hasSuffix("SwiftObject") { return [] }
        return [
            "\(description.name) inherits from \(name), whose properties are not stored. Remove the superclass, or use a protocol."
        ]
    }

    /// One end of a relationship pair, identified by an entity index and a relationship index.
    struct End: Hashable {
        let entity: Int
        let relationship: Int
    }

    /// The inverse of a relationship, and whether the relationship's declaration specifies the inverse.
    struct Connection {
        let inverse: End
        let namesInverse: Bool
    }

    func relationship(_ end: End) -> RelationshipDescription {
        descriptions[end.entity].relationships[end.relationship]
    }
    func label(_ end: End) -> String { "\(descriptions[end.entity].name).\(relationship(end).name)" }

    /// Returns the inverse of every relationship, and appends a message to `problems` for each invalid relationship.
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
                    "\(label(end)) is ordered but is to-one. Remove \"ordered\", or make the relationship to-many."
                )
            }
            guard let destination = entityIndexes[ObjectIdentifier(relationship.destination)] else {
                problems.append(
                    "\(label(end)) refers to \(relationship.destination.entityDescription.name), which is not in the model. Add the class "
                        + "to the ObjectModel."
                )
                continue
            }
            guard let keyPath = relationship.inverse else { continue }
            guard case .relationship(let place)? = descriptions[destination].propertiesByKeyPath[keyPath] else {
                problems.append(
                    "\(label(end)) names an inverse that is not a relationship of \(descriptions[destination].name). "
                        + "Name a relationship that refers to \(descriptions[end.entity].name)."
                )
                continue
            }
            let other = End(entity: destination, relationship: place)
            if ObjectIdentifier(self.relationship(other).destination) != ObjectIdentifier(descriptions[end.entity].type)
            {
                problems.append(
                    "\(label(end)) names \(label(other)) as its inverse, but that relationship refers to "
                        + "\(self.relationship(other).destination.entityDescription.name). Name a relationship that refers to "
                        + "\(descriptions[end.entity].name)."
                )
            } else if other == end {
                problems.append(
                    "\(label(end)) names itself as its inverse. Declare a second relationship as the inverse."
                )
            } else if connections[end] != nil || connections[other] != nil {
                problems.append(
                    "\(label(end)) names \(label(other)) as its inverse, but one of the two already has an inverse. "
                        + "Name the inverse on exactly one side."
                )
            } else {
                connections[end] = Connection(inverse: other, namesInverse: true)
                connections[other] = Connection(inverse: end, namesInverse: false)
            }
        }
        for end in ends where connections[end] == nil && relationship(end).inverse == nil {
            guard entityIndexes[ObjectIdentifier(relationship(end).destination)] != nil else { continue }
            problems.append(
                "\(label(end)) has no inverse. Declare the inverse relationship in "
                    + "\(relationship(end).destination.entityDescription.name), and specify `inverse` on one of the two sides."
            )
        }
        return connections
    }

    func namingProblems() -> [String] {
        var problems: [String] = []
        var entityNames: [String: String] = [:]
        for description in descriptions {
            // SQLite ignores case in names.
            let name = description.name
            let key = name.lowercased()
            if let earlier = entityNames.updateValue(name, forKey: key) {
                problems.append(
                    earlier == name
                        ? "The model lists the entity \(name) twice. List each class once."
                        : "The entities \(earlier) and \(name) differ only in case, which SQLite ignores. Rename one of them."
                )
            }
            if let fault = nameFault(name, key) { problems.append("The entity \(name) \(fault)") }
            var propertyNames: [String: String] = [ResolvedEntity.keyColumn.lowercased(): ResolvedEntity.keyColumn]
            for name in description.attributes.map(\.name) + description.relationships.map(\.name) {
                let key = name.lowercased()
                if let earlier = propertyNames.updateValue(name, forKey: key) {
                    problems.append(
                        earlier == ResolvedEntity.keyColumn
                            ? "\(description.name).\(name) has the name of the primary key. Choose another name."
                            : "\(description.name).\(earlier) and \(description.name).\(name) differ only in case, which SQLite ignores. "
                                + "Rename one of them."
                    )
                }
                if let fault = nameFault(name, key) { problems.append("\(description.name).\(name) \(fault)") }
            }
        }
        return problems
    }

    private func nameFault(_ name: String, _ lowercased: String) -> String? {
        if lowercased.hasPrefix("sqlite_") || lowercased.hasPrefix("larder_") {
            return "has a name with a prefix that is reserved for SQLite or Larder. Choose another name."
        }
        // In composed names of columns, tables and indexes, dots and commas separate the parts.
        let dividers: (UInt8, UInt8, UInt8) = (UInt8(ascii: "."), UInt8(ascii: ","), 0)
        if name.isEmpty || name.utf8.contains(where: { $0 == dividers.0 || $0 == dividers.1 || $0 == dividers.2 }) {
            return "has a name that is empty, or contains a dot, a comma or U+0000. Choose another name."
        }
        return nil
    }

    /// Returns an error message for each attribute option that the attribute's type does not support.
    private func optionProblems(_ description: EntityDescription) -> [String] {
        var problems: [String] = []
        for attribute in description.attributes where !attribute.options.isEmpty {
            let label = "\(description.name).\(attribute.name)"
            if attribute.options.contains(.searchable), attribute.format.name != "string" {
                problems.append(
                    "\(label) is searchable, but is not a String. Remove the option `searchable`, or change the type."
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
        for (kind, groups) in [
            ("a unique constraint", description.uniqueConstraints), ("an index", description.indexes),
        ] {
            for group in groups {
                if group.isEmpty {
                    problems.append(
                        "\(description.name) declares \(kind) without properties. Name at least one property, or remove the declaration."
                    )
                }
                for name in group where !names.contains(name) {
                    problems.append(
                        "\(description.name) declares \(kind) on \"\(name)\", which is neither an attribute nor a relationship with a "
                            + "column. Name an attribute, or the side of the relationship that stores the reference."
                    )
                }
            }
        }
        return problems
    }
}
#endif
