#if Objects
extension ObjectContext {
    /// Whether a save would write anything.
    var hasChanges: Bool {
        !links.isEmpty
            || listed.contains { states in
                states.contains { state in
                    switch state.status {
                    case .inserted, .deleted: true
                    case .stored: state.changes.contains { $0 != nil }
                    case .gone, .placeholder, .probe: false
                    }
                }
            }
    }

    /// Writes all changes, inside the transaction that the writer has open.
    ///
    /// - Throws: ``ObjectError`` of code `invalidObjects` with every problem, or what SQLite refused. Nothing was written
    ///   then, and the objects have their changes still: mend them and save again, or let the error pass.
    func save() throws {
        let source = try openSource()
        guard hasChanges else { return }
        let places = try placeOrderedLists()
        let problems = try problems()
        guard problems.isEmpty else {
            throw ObjectError(
                .invalidObjects,
                "Nothing was saved, because the objects are not as the model asks:",
                problems: problems,
                path: path
            )
        }
        do {
            try source.read { statements in
                try statements.run("SAVEPOINT larder_save")
                do {
                    try write(statements, places)
                } catch {
                    try? statements.run("ROLLBACK TO larder_save")
                    try? statements.run("RELEASE larder_save")
                    throw error
                }
                try statements.run("RELEASE larder_save")
            }
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
        settle()
    }

    /// The place of one link of an ordered relationship between many and many.
    struct JoinPlace {
        let join: JoinTable
        let isSource: Bool
        let pair: LinkChanges.Pair
        let place: Int
    }

    /// Gives the members of every ordered list that changed their places.
    private func placeOrderedLists() throws -> [JoinPlace] {
        var places: [JoinPlace] = []
        for ordered in links.orderedLists {
            guard let owner = tables[ordered.entity][ordered.rowID]?.state, owner.status != .deleted else { continue }
            let relationship = owner.entity.relationships[ordered.relationship]
            let ids = try list(of: owner, relationship)
            switch relationship.storage {
            case .reference: break
            case .inverseReference(_, let position):
                guard let position else { break }
                for (place, entry) in try entries(model.entities[relationship.destination], ids).enumerated() {
                    entry.state.set(position, .integer(Int64(place)))
                }
            case .joinTable(let join, let isSource):
                for (place, id) in ids.enumerated() {
                    let pair = join.pair(own: owner.rowID, other: id, isSource: isSource)
                    places.append(JoinPlace(join: join, isSource: isSource, pair: pair, place: place))
                }
            }
        }
        return places
    }

    private func write(_ statements: StatementCache, _ places: [JoinPlace]) throws {
        let key = ResolvedEntity.keyColumn.quotedIdentifier
        for (join, pairs) in links.pairs {
            for (pair, isInsertion) in pairs where !isInsertion {
                try statements.run(
                    "DELETE FROM \(join.table) WHERE \"source\" = ? AND \"target\" = ?",
                    [.integer(pair.source), .integer(pair.target)]
                )
            }
        }
        for (entity, states) in zip(model.entities, listed) {
            for state in states where state.status == .deleted {
                try statements.run("DELETE FROM \(entity.table) WHERE \(key) = ?", [.integer(state.rowID)])
            }
        }
        for (entity, states) in zip(model.entities, listed) { try parkUniqueValues(statements, entity, states) }
        for (entity, states) in zip(model.entities, listed) where !states.isEmpty {
            try insert(statements, entity, states)
            try update(statements, entity, states)
        }
        for (join, pairs) in links.pairs {
            for (pair, isInsertion) in pairs where isInsertion {
                try statements.run(
                    "INSERT INTO \(join.table) (\"source\", \"target\") VALUES (?, ?)",
                    [.integer(pair.source), .integer(pair.target)]
                )
            }
        }
        for place in places {
            guard let column = place.join.positionColumn(isSource: place.isSource) else { continue }
            try statements.run(
                "UPDATE \(place.join.table) SET \(column.quotedIdentifier) = ?1 WHERE \"source\" = ?2 AND \"target\" = ?3 AND \(column.quotedIdentifier) IS NOT ?1",
                [.integer(Int64(place.place)), .integer(place.pair.source), .integer(place.pair.target)]
            )
        }
    }

    /// Empties unique columns of rows that get new values there, so that two rows can swap theirs.
    private func parkUniqueValues(
        _ statements: StatementCache,
        _ entity: ResolvedEntity,
        _ states: [ObjectState]
    ) throws {
        let unique = Set(entity.uniqueConstraints.joined())
        guard !unique.isEmpty else { return }
        let changing = states.filter { state in
            state.status == .stored && unique.contains { !state.changes.isEmpty && state.changes[$0] != nil }
        }
        guard !changing.isEmpty else { return }
        let key = ResolvedEntity.keyColumn.quotedIdentifier
        for state in changing {
            let columns = unique.filter { state.changes[$0] != nil }.sorted()
            let assignments = columns.map { "\(entity.columns[$0].quotedName) = NULL" }.joined(separator: ", ")
            try statements.run("UPDATE \(entity.table) SET \(assignments) WHERE \(key) = ?", [.integer(state.rowID)])
        }
    }

    private func insert(_ statements: StatementCache, _ entity: ResolvedEntity, _ states: [ObjectState]) throws {
        let names = ([ResolvedEntity.keyColumn] + entity.columns.map(\.name)).map(\.quotedIdentifier)
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT INTO \(entity.table) (\(names.joined(separator: ", "))) VALUES (\(marks))"
        var statement: PreparedStatement?
        for state in states where state.status == .inserted {
            let prepared = try statement ?? statements.statement(sql)
            statement = prepared
            prepared.bind(.integer(state.rowID), at: 1)
            for index in entity.columns.indices { prepared.bind(state.column(index), at: index + 2) }
            try prepared.run()
        }
    }

    private func update(_ statements: StatementCache, _ entity: ResolvedEntity, _ states: [ObjectState]) throws {
        let key = ResolvedEntity.keyColumn.quotedIdentifier
        var byColumns: [[Int]: PreparedStatement] = [:]
        for state in states where state.status == .stored {
            let columns = state.changedColumns
            guard !columns.isEmpty else { continue }
            let prepared: PreparedStatement
            if let known = byColumns[columns] {
                prepared = known
            } else {
                let assignments = columns.map { "\(entity.columns[$0].quotedName) = ?" }.joined(separator: ", ")
                prepared = try statements.statement("UPDATE \(entity.table) SET \(assignments) WHERE \(key) = ?")
                byColumns[columns] = prepared
            }
            for (place, column) in columns.enumerated() { prepared.bind(state.column(column), at: place + 1) }
            prepared.bind(.integer(state.rowID), at: columns.count + 1)
            try prepared.run()
        }
    }

    /// Takes what was written for what the rows hold.
    private func settle() {
        for index in listed.indices {
            let states = listed[index]
            listed[index] = []
            for state in states {
                state.isListed = false
                switch state.status {
                case .inserted:
                    saved.insert(state.objectID)
                    state.row = PackedRow.packing(state.entity.columns.indices.map(state.column))
                    state.status = .stored
                case .stored:
                    let columns = state.changedColumns
                    guard !columns.isEmpty else { continue }
                    saved.update(state.objectID, state.entity.changeNames(columns))
                    state.row = PackedRow.packing(state.entity.columns.indices.map(state.column))
                case .deleted:
                    saved.delete(state.objectID)
                    state.status = .gone
                    tables[index][state.rowID] = nil
                case .gone, .placeholder, .probe: break
                }
                state.changes = []
            }
        }
        for (join, pairs) in links.pairs where !pairs.isEmpty { saved.join(join.name) }
        for ordered in links.orderedLists {
            if case .joinTable(let join, _) = model.entities[ordered.entity].relationships[ordered.relationship].storage
            {
                saved.join(join.name)
            }
        }
        links = LinkChanges()
    }
}
#endif
