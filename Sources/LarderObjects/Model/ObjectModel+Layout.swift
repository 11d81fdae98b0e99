#if Objects
extension ObjectModel {
    /// Assigns columns to all attributes, to-one references, positions in ordered relationships, and case-folded search strings.
    func layOut(_ connections: [End: Connection]) -> [ResolvedEntity] {
        var columns = descriptions.map { description in
            description.attributes.enumerated().map { index, attribute in
                ResolvedColumn(
                    name: attribute.name,
                    columnType: attribute.format.columnType,
                    isRequired: !attribute.isOptional,
                    role: .attribute(index)
                )
            }
        }
        var references: [End: Int] = [:]
        let ordered = inOrder(connections)
        for (end, connection) in ordered where holdsReference(end, connection) {
            references[end] = columns[end.entity].count
            columns[end.entity].append(
                ResolvedColumn(
                    name: relationship(end).name,
                    columnType: "INTEGER",
                    isRequired: relationship(end).cardinality == .requiredOne,
                    role: .reference(end.relationship),
                    destination: connection.inverse.entity
                )
            )
        }
        var positions: [End: Int] = [:]
        for (end, connection) in ordered where relationship(end).isOrdered {
            guard references[connection.inverse] != nil else { continue }
            let entity = connection.inverse.entity
            positions[end] = columns[entity].count
            columns[entity].append(
                ResolvedColumn(
                    name: relationship(connection.inverse).name + ".position",
                    columnType: "INTEGER",
                    isRequired: false,
                    role: .position
                )
            )
        }
        for (entity, description) in descriptions.enumerated() {
            for (place, attribute) in description.attributes.enumerated()
            where attribute.options.contains(.searchable) {
                columns[entity].append(
                    ResolvedColumn(
                        name: attribute.name + ".folded",
                        columnType: "TEXT",
                        isRequired: false,
                        role: .folded(place)
                    )
                )
            }
        }
        return descriptions.indices.map { index in
            let relationships = descriptions[index].relationships.indices.compactMap { place -> ResolvedRelationship? in
                let end = End(entity: index, relationship: place)
                guard let connection = connections[end] else { return nil }
                return resolve(end, connection, references, positions)
            }
            return entity(index, columns[index], relationships)
        }
    }

    private func inOrder(_ connections: [End: Connection]) -> [(End, Connection)] {
        connections.sorted { ($0.key.entity, $0.key.relationship) < ($1.key.entity, $1.key.relationship) }
            .map { ($0.key, $0.value) }
    }

    /// Returns whether the table at `end` contains the foreign-key column of a relationship and its inverse.
    ///
    /// In a many-to-one pair, the column is stored at the to-one end. In a one-to-one pair, the column is stored at the end that does not
    /// name its inverse.
    func holdsReference(_ end: End, _ connection: Connection) -> Bool {
        guard !relationship(end).isToMany else { return false }
        return relationship(connection.inverse).isToMany || !connection.namesInverse
    }

    private func resolve(
        _ end: End,
        _ connection: Connection,
        _ references: [End: Int],
        _ positions: [End: Int]
    ) -> ResolvedRelationship {
        let relationship = relationship(end)
        let storage: ResolvedRelationship.Storage
        if let column = references[end] {
            storage = .reference(column: column)
        } else if let column = references[connection.inverse] {
            storage = .inverseReference(column: column, position: positions[end])
        } else {
            let source = connection.namesInverse ? end : connection.inverse
            let target = connection.namesInverse ? connection.inverse : end
            let table = JoinTable(
                name: "\(descriptions[source.entity].name).\(self.relationship(source).name)",
                sourceEntity: source.entity,
                targetEntity: target.entity,
                isSourceOrdered: self.relationship(source).isOrdered,
                isTargetOrdered: self.relationship(target).isOrdered
            )
            storage = .joinTable(table, isSource: connection.namesInverse)
        }
        return ResolvedRelationship(
            name: relationship.name,
            index: end.relationship,
            owner: end.entity,
            destination: connection.inverse.entity,
            cardinality: relationship.cardinality,
            isOrdered: relationship.isOrdered,
            deleteRule: relationship.deleteRule,
            inverse: connection.inverse.relationship,
            storage: storage
        )
    }

    private func entity(
        _ index: Int,
        _ columns: [ResolvedColumn],
        _ relationships: [ResolvedRelationship]
    ) -> ResolvedEntity {
        let description = descriptions[index]
        func place(_ name: String) -> Int? { columns.firstIndex { $0.name == name } }
        var unique = description.uniqueConstraints.map { $0.compactMap(place) }
        var indexes = description.indexes.map { $0.compactMap(place) }
        for (place, attribute) in description.attributes.enumerated() {
            if attribute.isUnique { unique.append([place]) }
            if attribute.options.contains(.indexed) { indexes.append([place]) }
        }
        for (place, column) in columns.enumerated() {
            guard case .reference(let relationship) = column.role, let destination = column.destination else {
                continue
            }
            let inverseIsToMany = descriptions[destination].relationships.indices.contains { candidate in
                relationships.first { $0.index == relationship }?.inverse == candidate
                    && descriptions[destination].relationships[candidate].isToMany
            }
            if inverseIsToMany { indexes.append([place]) } else { unique.append([place]) }
        }
        return ResolvedEntity(
            index: index,
            description: description,
            columns: columns,
            relationships: relationships,
            uniqueConstraints: unique,
            indexes: indexes
        )
    }
}
#endif
