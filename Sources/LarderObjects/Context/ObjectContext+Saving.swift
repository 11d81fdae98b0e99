#if Objects
internal import GRDB

extension ObjectContext {
    /// Whether there are changes since the last explicit save.
    ///
    /// Automatic saves do not reset this property.
    var hasChanges: Bool { wasSavedAutomatically || hasUnwrittenChanges }

    /// Whether the context has changes that a save would write to the database.
    private var hasUnwrittenChanges: Bool {
        !links.isEmpty
            || listed.contains { states in
                states.contains { state in
                    switch state.status {
                    case .inserted, .deleted: true
                    case .stored: state.isChanged
                    case .gone, .placeholder, .probe: false
                    }
                }
            }
    }

    /// Writes all unsaved changes to the database, inside the writer's open transaction.
    ///
    /// - Parameters:
    ///   - isLast: Whether the context ends after this save. The last save needs no savepoint, because an error rolls back the entire
    ///     transaction.
    ///   - isAutomatic: Whether the save is automatic, so that ``hasChanges`` remains `true`.
    /// - Throws: ``ObjectError`` with code `invalidObjects`, which lists every problem, or a SQLite error. If the call throws, nothing is
    ///   written, and the objects keep their unsaved changes.
    func save(isLast: Bool = false, isAutomatic: Bool = false) throws {
        let source = try openSource()
        guard hasUnwrittenChanges else {
            if !isAutomatic { wasSavedAutomatically = false }
            return
        }
        try health.checkWritable()
        let places = try placeOrderedLists()
        let findings = try findings()
        guard findings.problems.isEmpty else {
            throw ObjectError(
                .invalidObjects,
                "Nothing was saved because some objects are invalid. Fix the following problems and save again.",
                problems: findings.problems,
                path: path,
                underlying: findings.cause
            )
        }
        var moved: [JoinPlace] = []
        do {
            try source.read { statements in
                // With a savepoint, SQLite would copy every page before changing it.
                if isLast {
                    moved = try write(statements, places, findings.kinds, isLast: true)
                    return
                }
                try statements.run("SAVEPOINT larder_save")
                do {
                    moved = try write(statements, places, findings.kinds, isLast: false)
                } catch {
                    self.undo("larder_save", statements, after: error)
                    throw error
                }
                try statements.run("RELEASE larder_save")
            }
        } catch {
            throw health.noting(error, report: report)
        }
        wasSavedAutomatically = isAutomatic
        settle(isLast, moved)
        if !isLast { sweep(afterSave: true) }
    }

    /// Saves automatically after many insertions, to limit memory use.
    ///
    /// If any change is invalid, nothing is saved.
    func saveChunkIfNeeded() {
        guard isWritable, !isComparing, unsavedInsertions >= insertionLimit else { return }
        do {
            try save(isAutomatic: true)
            insertionLimit = Self.insertionsInMemory
        } catch {
            // The error is ignored here, because the next explicit save, or the save at the end of the operation, throws it.
            insertionLimit = 2 * max(insertionLimit, unsavedInsertions)
        }
        unsavedInsertions = 0
    }

    /// Saves automatically if all changes are valid.
    ///
    /// Errors are ignored, because the next explicit save, or the save at the end of the operation, throws them.
    func saveIfPossible() { try? save(isAutomatic: true) }

    /// Runs `body` with automatic saves disabled.
    func comparing<Result>(_ body: () throws -> Result) rethrows -> Result {
        let before = isComparing
        isComparing = true
        defer { isComparing = before }
        return try body()
    }

    /// Rolls back to `savepoint` after a statement has failed with `error`.
    ///
    /// If SQLite has already rolled back the entire transaction, for example because the disk is full, the context rejects later writes.
    func undo(_ savepoint: String, _ statements: StatementCache, after error: any Error) {
        do {
            try statements.run("ROLLBACK TO \(savepoint)")
            try statements.run("RELEASE \(savepoint)")
        } catch {
            abandon()
        }
    }

    /// The position of one object in an ordered many-to-many relationship.
    struct JoinPlace {
        let join: JoinTable
        let isSource: Bool
        let pair: LinkPair
        let place: Int
    }

    /// Assigns a position to each object in every ordered relationship that changed.
    private func placeOrderedLists() throws -> [JoinPlace] {
        var places: [JoinPlace] = []
        for ordered in links.orderedLists {
            guard let owner = tables[ordered.entity][ordered.rowID], owner.status != .deleted else { continue }
            let relationship = owner.entity.relationships[ordered.relationship]
            let ids = try list(of: owner, relationship)
            switch relationship.storage {
            case .reference: break
            case .inverseReference(_, let position):
                guard let position else { break }
                for (place, entry) in try entries(model.entities[relationship.destination], ids).enumerated() {
                    entry.set(position, .integer(Int64(place)))
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

    /// Writes the changes of all objects and links.
    ///
    /// - Returns: The positions that differ from those in the database.
    private func write(
        _ statements: StatementCache,
        _ places: [JoinPlace],
        _ kinds: [Kinds],
        isLast: Bool
    ) throws -> [JoinPlace] {
        let key = ResolvedEntity.keyColumn.quotedIdentifier
        // The last save records changes while it writes, so that it does not visit the objects a second time.
        if isLast { saved.beginPart() }
        try beginNotingValues(statements)
        for (join, pairs) in links.pairs {
            for (pair, isInsertion) in pairs where !isInsertion {
                try statements.run(
                    "DELETE FROM \(join.table) WHERE \"source\" = ? AND \"target\" = ?",
                    [.integer(pair.source), .integer(pair.target)]
                )
            }
        }
        for (entity, states) in zip(model.entities, listed) where kinds[entity.index].contains(.deleted) {
            for state in states where state.status == .deleted {
                oldValues?.noteDeletion(state)
                try statements.run("DELETE FROM \(entity.table) WHERE \(key) = ?", [.integer(state.rowID)])
                if isLast { saved.delete(entity.index, state.rowID) }
            }
        }
        for (entity, states) in zip(model.entities, listed) where kinds[entity.index].contains(.stored) {
            try parkUniqueValues(statements, entity, states)
        }
        for (entity, states) in zip(model.entities, listed) {
            if kinds[entity.index].contains(.inserted) { try insert(statements, entity, states, isLast) }
            if kinds[entity.index].contains(.stored) { try update(statements, entity, states, isLast) }
        }
        for (join, pairs) in links.pairs {
            for (pair, isInsertion) in pairs where isInsertion {
                try statements.run(
                    "INSERT INTO \(join.table) (\"source\", \"target\") VALUES (?, ?)",
                    [.integer(pair.source), .integer(pair.target)]
                )
            }
        }
        return try places.filter { place in
            guard let column = place.join.positionColumn(isSource: place.isSource) else { return false }
            try statements.run(
                "UPDATE \(place.join.table) SET \(column.quotedIdentifier) = ?1 WHERE \"source\" = ?2 AND \"target\" = ?3 AND \(column.quotedIdentifier) IS NOT ?1",
                [.integer(Int64(place.place)), .integer(place.pair.source), .integer(place.pair.target)]
            )
            return statements.database.changesCount > 0
        }
    }

    /// Sets the unique columns of changed rows to NULL before the update, so that two rows can swap values.
    private func parkUniqueValues(
        _ statements: StatementCache,
        _ entity: ResolvedEntity,
        _ states: [ObjectState]
    ) throws {
        let unique = Set(entity.uniqueConstraints.joined())
        guard !unique.isEmpty else { return }
        let changing = states.filter { state in
            state.status == .stored && unique.contains { state.isChanged($0) }
        }
        guard !changing.isEmpty else { return }
        let key = ResolvedEntity.keyColumn.quotedIdentifier
        for state in changing {
            let columns = unique.filter { state.isChanged($0) }.sorted()
            let assignments = columns.map { "\(entity.columns[$0].quotedName) = NULL" }.joined(separator: ", ")
            try statements.run("UPDATE \(entity.table) SET \(assignments) WHERE \(key) = ?", [.integer(state.rowID)])
        }
    }

    private func insert(
        _ statements: StatementCache,
        _ entity: ResolvedEntity,
        _ states: [ObjectState],
        _ isLast: Bool
    ) throws {
        let count = entity.columns.count
        let names = ([ResolvedEntity.keyColumn] + entity.columns.map(\.name)).map(\.quotedIdentifier)
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        let statement = try statements.statement(
            "INSERT INTO \(entity.table) (\(names.joined(separator: ", "))) VALUES (\(marks))"
        )
        var packer = RowPacker(columns: count, group: nil)
        for state in states where state.status == .inserted {
            let place = state.pack(&packer)
            if isLast {
                packer.forgetRows()
                saved.insert(entity.index, state.rowID)
            } else {
                state.written = place
            }
            statement.bind(state.rowID, at: 1)
            for column in 0..<count { statement.bind(place, column, at: column + 2) }
            try statement.run()
        }
        statement.release()
        packer.seal()
    }

    private func update(
        _ statements: StatementCache,
        _ entity: ResolvedEntity,
        _ states: [ObjectState],
        _ isLast: Bool
    ) throws {
        let key = ResolvedEntity.keyColumn.quotedIdentifier
        var packer = RowPacker(columns: entity.columns.count, group: nil)
        var changed = ColumnSet()
        var columns: [Int] = []
        var statement: PreparedStatement?
        for state in states where state.status == .stored {
            let changes = state.changedColumns
            guard !changes.isEmpty else { continue }
            oldValues?.noteUpdate(state, changes)
            let prepared: PreparedStatement
            // Usually all objects have changes in the same columns, so the statement is reused.
            if let statement, changes == changed {
                prepared = statement
            } else {
                statement?.release()
                changed = changes
                columns = changes.columns
                let assignments = columns.map { "\(entity.columns[$0].quotedName) = ?" }.joined(separator: ", ")
                prepared = try statements.statement("UPDATE \(entity.table) SET \(assignments) WHERE \(key) = ?")
                statement = prepared
            }
            if isLast {
                saved.update(entity.index, state.rowID, changes)
                for (parameter, column) in columns.enumerated() {
                    prepared.bind(state.column(column), at: parameter + 1)
                }
            } else {
                let place = state.pack(&packer)
                state.written = place
                for (parameter, column) in columns.enumerated() { prepared.bind(place, column, at: parameter + 1) }
            }
            prepared.bind(state.rowID, at: columns.count + 1)
            try prepared.run()
        }
        statement?.release()
        packer.seal()
    }

    /// Marks the written values as saved and records the changed rows and links.
    private func settle(_ isLast: Bool, _ moved: [JoinPlace]) {
        if !isLast { saved.beginPart() }
        for index in listed.indices where !listed[index].isEmpty {
            let states = listed[index]
            listed[index] = []
            if isLast { continue }
            for state in states {
                switch state.status {
                case .inserted:
                    saved.insert(index, state.rowID)
                    state.status = .stored
                case .stored:
                    let columns = state.changedColumns
                    if !columns.isEmpty { saved.update(index, state.rowID, columns) }
                case .deleted:
                    saved.delete(index, state.rowID)
                    state.status = .gone
                    remove(state)
                case .gone, .placeholder, .probe: break
                }
                state.settle()
            }
        }
        for (join, pairs) in links.pairs {
            for (pair, isInsertion) in pairs {
                if isInsertion { saved.insert(pair, in: join.name) } else { saved.delete(pair, in: join.name) }
            }
        }
        // The position of a new link is part of its insertion.
        for place in moved where links.pairs[place.join]?[place.pair] == nil {
            saved.move(place.pair, in: place.join.name)
        }
        links = LinkChanges()
    }
}
#endif
