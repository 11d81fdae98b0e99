#if Objects
/// Compares relationships together with their inverses.
///
/// Side `a` of each pair is the side whose table has the reference column, or the source of the join table.
extension InferredStep {
    private typealias Side = SchemaMatch.Side

    mutating func compareRelationships() {
        var used: [Side: Side] = [:]
        var carried:
            [(relationship: SchemaDescription.Relationship, entity: SchemaDescription.Entity, old: (a: Side, b: Side))] =
                []
        var contested: Set<Side> = []
        for entity in to.schema.entities {
            for relationship in entity.relationships where to.schema.isHolder(relationship, entity) {
                guard let old = continued(relationship, of: entity) else {
                    add(relationship, of: entity)
                    continue
                }
                let side = Side(entity: entity.name, name: relationship.name)
                // Two new relationships each match one side of the stored pair, so it is ambiguous which one continues the pair.
                if let other = used[old.a] {
                    contested.formUnion([old.a, old.b])
                    refusals.append(
                        "\(other.entity).\(other.name) and \(side.entity).\(side.name) both match \(old.a.entity).\(old.a.name) "
                            + "in the database. Give one relationship and its inverse names that the database does not contain, or freeze "
                            + "the intermediate versions."
                    )
                }
                used[old.a] = side
                used[old.b] = side
                carried.append((relationship, entity, old))
            }
        }
        for (relationship, entity, old) in carried where !contested.contains(old.a) {
            carry(relationship, of: entity, from: old)
        }
        for entity in from.schema.entities where match.entities.values.contains(entity.name) {
            for relationship in entity.relationships where from.schema.isHolder(relationship, entity) {
                let side = Side(entity: entity.name, name: relationship.name)
                if used[side] == nil { drop(relationship, of: entity) }
            }
        }
        for index in entities.indices { dropReferences(index) }
        let kept = Set(joins.map(\.old))
        droppedJoins = from.schema.joinNames.filter { !kept.contains($0) }
    }

    /// Returns the two sides of the stored relationship that matches a relationship of the model, or `nil` if the relationship is new.
    ///
    /// Side `a` corresponds to `relationship`, and side `b` to its inverse.
    private func continued(
        _ relationship: SchemaDescription.Relationship,
        of entity: SchemaDescription.Entity
    ) -> (a: Side, b: Side)? {
        func pair(_ name: String, _ entity: String, destination: String) -> (Side, Side)? {
            guard let side = match.relationship(name, of: entity), let old = match.old(side),
                match.entities[destination] == old.destination
            else { return nil }
            return (side, Side(entity: old.destination, name: old.inverse))
        }
        let byA = pair(relationship.name, entity.name, destination: relationship.destination)
        let byB = pair(relationship.inverse, relationship.destination, destination: entity.name).map { ($1, $0) }
        // The relationship that declares the inverse takes precedence: the source of a join table, or the side without a reference column.
        let chosen = relationship.joinTable == nil ? byB ?? byA : byA ?? byB
        return chosen.map { (a: $0.0, b: $0.1) }
    }

    /// Plans how to migrate links from a stored relationship to the matching relationship of the model.
    private mutating func carry(
        _ relationship: SchemaDescription.Relationship,
        of entity: SchemaDescription.Entity,
        from old: (a: Side, b: Side)
    ) {
        guard let oldA = match.old(old.a), let oldB = match.old(old.b),
            let inverse = to.schema.inverse(of: relationship),
            let oldEntity = from.schema.entity(old.a.entity), let query = from.schema.links(old.a, old.b)
        else { return }
        let isFewerOfA = oldA.cardinality == "many" && relationship.cardinality != "many"
        let isFewerOfB = oldB.cardinality == "many" && inverse.cardinality != "many"
        let keptOfA = to.declarations.relationship(relationship.name, of: entity.name).keeping
        let keptOfB = to.declarations.relationship(inverse.name, of: relationship.destination).keeping
        if isFewerOfA { noteLinks(entity.name, relationship.name, query, keptOfA) }
        if isFewerOfB { noteLinks(relationship.destination, inverse.name, query.reversed, keptOfB) }
        if oldA.isOrdered, !relationship.isOrdered { noteOrder(entity.name, relationship.name, old.a.name, query) }
        if oldB.isOrdered, !inverse.isOrdered {
            noteOrder(relationship.destination, inverse.name, old.b.name, query.reversed)
        }
        var moved = query
        if isFewerOfA { moved.thinning.append(.init(isOfA: true, kept: keptOfA ?? .newest)) }
        if isFewerOfB { moved.thinning.append(.init(isOfA: false, kept: keptOfB ?? .newest)) }
        // Removing surplus links may remove an object's only link, even if the link was required.
        let isThinned = !moved.thinning.isEmpty
        if relationship.cardinality == "requiredOne", oldA.cardinality != "requiredOne" || isThinned {
            noteMissing(entity.name, relationship.name, old.a.entity, moved)
        }
        if inverse.cardinality == "requiredOne", oldB.cardinality != "requiredOne" || isThinned {
            noteMissing(relationship.destination, inverse.name, old.b.entity, moved.reversed)
        }
        let isSamePlace =
            from.schema.isHolder(oldA, oldEntity) && (oldA.joinTable == nil) == (relationship.joinTable == nil)
        if let join = relationship.joinTable {
            if isSamePlace, let earlier = oldA.joinTable, oldA.isOrdered == relationship.isOrdered,
                oldB.isOrdered == inverse.isOrdered
            {
                joins.append((earlier, join))
                return
            }
            newJoins.append(join)
            let tables = SchemaStatements(to.schema).joinTables()
            guard let table = tables.first(where: { $0.table.name == join })?.table else { return }
            moves.append(LinkMove(query: moved, entity: entity.name, target: .join(table)))
            return
        }
        let position = relationship.name + ".position"
        let isOrdered = entity.column(position) != nil
        if isSamePlace, !isFewerOfB {
            set(.column(old.a.name), relationship.name, of: entity.name)
            if isOrdered, oldEntity.column(old.a.name + ".position") != nil {
                set(.column(old.a.name + ".position"), position, of: entity.name)
            }
            return
        }
        moves.append(
            LinkMove(
                query: moved,
                entity: entity.name,
                target: .column(relationship.name, position: isOrdered ? position : nil)
            )
        )
    }

    private mutating func noteLinks(_ entity: String, _ name: String, _ query: LinkQuery, _ kept: KeptObject?) {
        losses.append(
            PossibleLoss(
                kind: .link,
                entity: entity,
                property: name,
                condition: .several(query),
                isAllowed: kept != nil,
                remedy: "@Relationship(keeping: .newest)"
            )
        )
    }

    private mutating func noteOrder(_ entity: String, _ name: String, _ oldName: String, _ query: LinkQuery) {
        losses.append(
            PossibleLoss(
                kind: .order,
                entity: entity,
                property: name,
                condition: .disordered(query),
                isAllowed: isDropping(oldName + ".order", of: entity) || isDropping(name + ".order", of: entity),
                remedy: "@Entity(dropping: [\"\(oldName).order\"])"
            )
        )
    }

    private mutating func noteMissing(_ entity: String, _ name: String, _ table: String, _ query: LinkQuery) {
        losses.append(
            PossibleLoss(
                kind: .missingValue,
                entity: entity,
                property: name,
                condition: .unlinked(table: table, query),
                isAllowed: false,
                remedy: "a custom stage"
            )
        )
    }

    private mutating func set(_ source: ColumnSource, _ column: String, of entity: String) {
        guard let index = entities.firstIndex(where: { $0.new.name == entity }),
            let place = entities[index].new.columns.firstIndex(where: { $0.name == column }),
            place < entities[index].sources.count
        else { return }
        entities[index].sources[place] = source
    }

    private mutating func add(
        _ relationship: SchemaDescription.Relationship,
        of entity: SchemaDescription.Entity
    ) {
        if let join = relationship.joinTable { newJoins.append(join) }
        let sides =
            [(entity.name, relationship)]
            + (to.schema.inverse(of: relationship).map { [(relationship.destination, $0)] } ?? [])
        for (owner, side) in sides where side.cardinality == "requiredOne" && match.entities[owner] != nil {
            refusals.append(
                "The relationship \(owner).\(side.name) is new and required, but existing objects have no value for it. Make it optional."
            )
        }
    }

    /// Records the data loss that results from dropping a stored relationship, which the model no longer contains.
    private mutating func drop(
        _ relationship: SchemaDescription.Relationship,
        of entity: SchemaDescription.Entity
    ) {
        func current(_ entity: String) -> String? { match.entities.first { $0.value == entity }?.key }
        // The loss of a dropped entity includes the links of its objects.
        guard let name = current(entity.name), let other = current(relationship.destination) else { return }
        let condition: LossCondition =
            relationship.joinTable.map { .links(table: $0) }
            ?? .notNull(table: entity.name, column: relationship.name)
        losses.append(
            PossibleLoss(
                kind: .relationship,
                entity: name,
                property: relationship.name,
                condition: condition,
                isAllowed: isDropping(relationship.name, of: name) || isDropping(relationship.inverse, of: other),
                remedy: dropRemedy([(name, relationship.name), (other, relationship.inverse)])
            )
        )
    }

    /// Returns the declaration that allows a stored relationship to be dropped, for use in a message.
    private func dropRemedy(_ sides: [(entity: String, name: String)]) -> String {
        let free = sides.first { side in
            guard let entity = to.schema.entity(side.entity) else { return true }
            return !entity.relationships.contains { $0.name == side.name && $0.was == nil }
                && !entity.attributes.contains { $0.name == side.name && $0.was == nil }
        }
        guard let free else { return "a custom stage" }
        let place = free.entity == sides[0].entity ? "" : " on \(free.entity)"
        return "@Entity(dropping: [\"\(free.name)\"])\(place)"
    }

    /// Marks an entity's unused reference and position columns as dropped.
    private mutating func dropReferences(_ index: Int) {
        guard let old = entities[index].old else { return }
        let used = Set(entities[index].sources.compactMap { if case .column(let name) = $0 { name } else { nil } })
        for column in old.columns
        where ["reference", "position"].contains(column.format) && !used.contains(column.name) {
            entities[index].dropped.append(column.name)
        }
    }
}

extension SchemaDescription {
    func entity(_ name: String) -> Entity? { entities.first { $0.name == name } }

    func inverse(of relationship: Relationship) -> Relationship? {
        entity(relationship.destination)?.relationships.first { $0.name == relationship.inverse }
    }

    /// Returns whether the entity's table has the relationship's reference column, or the relationship is the source side of the join
    /// table.
    ///
    /// The result is `true` for exactly one side of each relationship pair.
    func isHolder(_ relationship: Relationship, _ entity: Entity) -> Bool {
        if let join = relationship.joinTable { return join == "\(entity.name).\(relationship.name)" }
        return entity.column(relationship.name)?.format == "reference"
    }

    /// The names of all join tables in the schema.
    var joinNames: [String] { SchemaStatements(self).joinTables().map(\.table.name) }

    /// Returns a query that reads the links between two sides of a relationship, or `nil` if the schema doesn't contain the relationship.
    func links(_ a: SchemaMatch.Side, _ b: SchemaMatch.Side) -> LinkQuery? {
        guard let entity = entity(a.entity),
            let relationship = entity.relationships.first(where: { $0.name == a.name }),
            let inverse = inverse(of: relationship)
        else { return nil }
        let key = ResolvedEntity.quotedKeyColumn
        if let join = relationship.joinTable {
            let isSource = isHolder(relationship, entity)
            let query = LinkQuery(
                table: join,
                a: "\"source\"",
                b: "\"target\"",
                aPosition: (isSource ? relationship : inverse).isOrdered ? "\"sourcePosition\"" : nil,
                bPosition: (isSource ? inverse : relationship).isOrdered ? "\"targetPosition\"" : nil
            )
            return isSource ? query : query.reversed
        }
        guard isHolder(relationship, entity) else {
            return links(b, a)?.reversed
        }
        return LinkQuery(
            table: entity.name,
            a: key,
            b: a.name.quotedIdentifier,
            aPosition: nil,
            bPosition: inverse.isOrdered ? (a.name + ".position").quotedIdentifier : nil
        )
    }
}
#endif
