#if Objects
extension ObjectContext {
    private static let wanted = "(SELECT value FROM json_each(?1))"
    /// The maximum number of object ids in one SQL statement.
    private static let part = 10_000
    private static var key: String { ResolvedEntity.keyColumn.quotedIdentifier }

    /// Updates attributes of all matching objects with SQL, then merges the changes into this context.
    func batchUpdate<T: Object>(_ filter: Filter<T>?, _ assignments: [PropertyAssignment<T>]) throws -> Int {
        try save()
        let plan = try plan(ObjectRequest<T>(filter))
        var translator = plan.translator
        var setters: [String] = []
        var differences: [String] = []
        var columns: [Int] = []
        func set(_ column: Int, _ value: ColumnValue) {
            let (name, parameter) = (plan.entity.columns[column].quotedName, translator.bind(value))
            setters.append("\(name) = \(parameter)")
            differences.append("\(name) IS NOT \(parameter)")
            columns.append(column)
        }
        let stored = try stored(assignments, plan.entity)
        for (column, value) in stored {
            set(column, value)
            if let folded = plan.entity.foldedColumns[column] { set(folded, value.searchFolded) }
        }
        guard !setters.isEmpty else { return 0 }
        let set = ColumnSet(columns)
        let condition =
            "\(Self.key) IN (SELECT \(plan.source.key)\(plan.tables)\(plan.filter)) "
            + "AND (\(differences.joined(separator: " OR ")))"
        try noteValues(of: plan.entity, set, where: condition, translator.values)
        let sql =
            "UPDATE \(plan.entity.table) SET \(setters.joined(separator: ", ")) WHERE \(condition) RETURNING \(Self.key)"
        let ids = try query(sql, translator.values) { $0.integer(at: 0) }
        var changes = RowChanges(entities: model.entities.count)
        for id in ids { changes.update(plan.entity.index, id, set) }
        saved.add(changes)
        merge(changes)
        return ids.count
    }

    /// Returns the columns that the assignments set, with the encoded new values.
    ///
    /// - Throws: ``ObjectError`` with code `invalidObjects` if a value can't be stored. The error lists every such value.
    private func stored<T: Object>(
        _ assignments: [PropertyAssignment<T>],
        _ entity: ResolvedEntity
    ) throws -> [(column: Int, value: ColumnValue)] {
        var problems: [String] = []
        var cause: (any Error)?
        let stored = try assignments.map { assignment in
            let place = try place(assignment, entity)
            let attribute = entity.description.attributes[place]
            let value = attribute.encode(assignment.value) ?? .null
            if let unstorable = attribute.unstorable(assignment.value) {
                problems.append("\(entity.name).\(attribute.name) was set to \(unstorable.problem).")
                cause = cause ?? unstorable.cause
            } else if value.isNull, !attribute.isOptional {
                problems.append(
                    "The required attribute \(entity.name).\(attribute.name) was set to nil. Set it to a non-nil value."
                )
            }
            return (column: place, value: value)
        }
        guard problems.isEmpty else {
            throw ObjectError(
                .invalidObjects,
                "Nothing was changed because some values are invalid. Fix the following problems and try again.",
                problems: problems,
                path: path,
                underlying: cause
            )
        }
        return stored
    }

    /// Returns the index of the attribute that an assignment sets.
    private func place<T: Object>(_ assignment: PropertyAssignment<T>, _ entity: ResolvedEntity) throws -> Int {
        guard case .attribute(let place)? = entity.description.propertiesByKeyPath[assignment.keyPath] else {
            throw SQLTranslator.unsupported(
                "a batch update of a property that is not a stored attribute of \(entity.name)",
                "Set relationships and computed properties object by object"
            )
        }
        return place
    }

    /// Deletes all matching rows and, according to the delete rules, related rows, then merges the changes into this context.
    func batchDelete<T: Object>(_ type: T.Type, _ filter: Filter<T>?) throws -> Int {
        try save()
        let plan = try plan(ObjectRequest<T>(filter))
        let sql = "SELECT \(plan.source.key)\(plan.tables)\(plan.filter)"
        let ids = try query(sql, plan.translator.values) { $0.integer(at: 0) }
        guard !ids.isEmpty else { return 0 }
        var deletion = BatchDeletion(entities: model.entities.count)
        deletion.waiting = [(plan.entity, ids)]
        while let (entity, ids) = deletion.waiting.popLast() {
            let new = ids.filter { deletion.doomed[entity.index].insert($0) }
            for relationship in entity.relationships {
                try Self.inParts(new) { try follow(relationship, of: entity, $0, &deletion) }
            }
        }
        let problems = deletion.problems(model)
        guard problems.isEmpty else {
            throw ObjectError(
                .invalidObjects,
                "Nothing was deleted because the model's delete rules don't allow it. Fix the following problems and try again.",
                problems: problems,
                path: path
            )
        }
        let changes = try carryOut(deletion)
        merge(changes)
        return deletion.doomed[plan.entity.index].count
    }

    /// Deletes all objects of a class.
    ///
    /// If there are more than 10,000 objects, they are deleted with SQL, otherwise one by one.
    func deleteAll<T: Object>(_ type: T.Type) throws {
        let entity = try model.entity(of: type)
        let isLarge = try !query(
            "SELECT 1 FROM \(entity.table) LIMIT 1 OFFSET \(Self.part)",
            [],
            { $0.integer(at: 0) }
        ).isEmpty
        if isLarge {
            do {
                _ = try batchDelete(type, nil)
                // The caller did not request this save, so its changes are still reported as unsaved.
                wasSavedAutomatically = true
                return
            } catch let error as ObjectError where error.code == .invalidObjects || error.code == .duplicate {
                // Nothing was changed. Before saving, the caller may delete the objects that prevent this deletion.
            }
        }
        for object in try fetch(ObjectRequest<T>()) { try delete(object.objectState) }
    }

    /// The rows that a batch deletion deletes or changes.
    private struct BatchDeletion {
        /// A row that can't be deleted because its relationship with the delete rule `deny` refers to another row.
        struct Denial {
            let owner: ObjectID
            let relationship: ResolvedRelationship
            let other: Int64
        }
        /// Rows whose references to deleted rows are set to NULL.
        struct Release {
            let entity: Int
            let column: Int
            let position: Int?
            let ids: [Int64]
        }
        var waiting: [(ResolvedEntity, [Int64])] = []
        var doomed: [RowIDSet]
        var denials: [Denial] = []
        var releases: [Release] = []

        init(entities: Int) { doomed = Array(repeating: RowIDSet(), count: entities) }

        func remaining(_ release: Release) -> [Int64] { release.ids.filter { !doomed[release.entity].contains($0) } }

        func problems(_ model: ResolvedModel) -> [String] {
            var problems: [String] = []
            for denial in denials where !doomed[denial.relationship.destination].contains(denial.other) {
                let other = model.entities[denial.relationship.destination].objectID(denial.other)
                problems.append(
                    "\(denial.owner) can't be deleted while its relationship \(denial.relationship.name) "
                        + "refers to \(other). Delete or reassign that object."
                )
            }
            for release in releases where model.entities[release.entity].columns[release.column].isRequired {
                let entity = model.entities[release.entity]
                for id in remaining(release) {
                    problems.append(
                        "The required relationship \(entity.objectID(id)).\(entity.columns[release.column].name) refers to an object "
                            + "that would be deleted. Assign another object first."
                    )
                }
            }
            return problems
        }
    }

    /// Applies the delete rule of a relationship to all rows that are related to the deleted rows `ids`.
    private func follow(
        _ relationship: ResolvedRelationship,
        of entity: ResolvedEntity,
        _ ids: ArraySlice<Int64>,
        _ deletion: inout BatchDeletion
    ) throws {
        let destination = model.entities[relationship.destination]
        let sql: String
        switch relationship.storage {
        case .reference(let column):
            guard relationship.deleteRule != .nullify else { return }
            let name = entity.columns[column].quotedName
            sql =
                "SELECT \(Self.key), \(name) FROM \(entity.table) WHERE \(Self.key) IN \(Self.wanted) AND \(name) IS NOT NULL"
        case .inverseReference(let column, _):
            let name = destination.columns[column].quotedName
            sql = "SELECT \(name), \(Self.key) FROM \(destination.table) WHERE \(name) IN \(Self.wanted)"
        case .joinTable(let join, let isSource):
            guard relationship.deleteRule != .nullify else { return }
            let own = join.ownColumn(isSource: isSource).quotedIdentifier
            let other = join.otherColumn(isSource: isSource).quotedIdentifier
            sql = "SELECT \(own), \(other) FROM \(join.table) WHERE \(own) IN \(Self.wanted)"
        }
        let pairs = try query(sql, [Self.list(ids)]) { ($0.integer(at: 0), $0.integer(at: 1)) }
        guard !pairs.isEmpty else { return }
        switch relationship.deleteRule {
        case .cascade: deletion.waiting.append((destination, pairs.map(\.1)))
        case .deny:
            deletion.denials += pairs.map {
                .init(owner: entity.objectID($0.0), relationship: relationship, other: $0.1)
            }
        case .nullify: break
        }
        if case .inverseReference(let column, let position) = relationship.storage {
            deletion.releases.append(
                .init(entity: destination.index, column: column, position: position, ids: pairs.map(\.1))
            )
        }
    }

    private static func inParts(_ ids: [Int64], _ body: (ArraySlice<Int64>) throws -> Void) rethrows {
        for start in stride(from: 0, to: ids.count, by: part) {
            try body(ids[start..<min(start + part, ids.count)])
        }
    }

    private func carryOut(_ deletion: BatchDeletion) throws -> RowChanges {
        var changes = RowChanges(entities: model.entities.count, mayRepeat: true)
        do {
            try openSource().read { statements in
                try statements.run("SAVEPOINT larder_batch")
                do {
                    for release in deletion.releases { try self.release(release, deletion, statements, &changes) }
                    try unlink(deletion, statements, &changes)
                    for entity in model.entities where !deletion.doomed[entity.index].isEmpty {
                        let ids = deletion.doomed[entity.index].sorted()
                        let condition = "\(Self.key) IN \(Self.wanted)"
                        let sql = "DELETE FROM \(entity.table) WHERE \(condition)"
                        try Self.inParts(ids) { ids in
                            try noteValues(of: entity, nil, where: condition, [Self.list(ids)])
                            try statements.run(sql, [Self.list(ids)])
                        }
                        for id in ids { changes.delete(entity.index, id) }
                    }
                } catch {
                    self.undo("larder_batch", statements, after: error)
                    throw error
                }
                try statements.run("RELEASE larder_batch")
            }
        } catch {
            throw health.noting(error, report: report)
        }
        let result = changes.result
        saved.add(result)
        return result
    }

    private func release(
        _ release: BatchDeletion.Release,
        _ deletion: BatchDeletion,
        _ statements: StatementCache,
        _ changes: inout RowChanges
    ) throws {
        let ids = deletion.remaining(release)
        guard !ids.isEmpty else { return }
        let entity = model.entities[release.entity]
        let columns = [release.column] + (release.position.map { [$0] } ?? [])
        let setters = columns.map { "\(entity.columns[$0].quotedName) = NULL" }.joined(separator: ", ")
        let condition = "\(Self.key) IN \(Self.wanted)"
        let sql = "UPDATE \(entity.table) SET \(setters) WHERE \(condition)"
        try Self.inParts(ids) { ids in
            try noteValues(of: entity, ColumnSet(columns), where: condition, [Self.list(ids)])
            try statements.run(sql, [Self.list(ids)])
        }
        for id in ids { changes.update(entity.index, id, ColumnSet(columns)) }
    }

    /// Deletes the join-table rows that link to deleted rows.
    private func unlink(
        _ deletion: BatchDeletion,
        _ statements: StatementCache,
        _ changes: inout RowChanges
    ) throws {
        for join in model.joinTables {
            for (column, entity) in [("source", join.sourceEntity), ("target", join.targetEntity)] {
                guard !deletion.doomed[entity].isEmpty else { continue }
                let sql =
                    "DELETE FROM \(join.table) WHERE \(column.quotedIdentifier) IN \(Self.wanted) RETURNING \"source\", \"target\""
                try Self.inParts(deletion.doomed[entity].sorted()) { ids in
                    let pairs = try statements.rows(sql, [Self.list(ids)]) { row in
                        LinkPair(source: row.integer(at: 0), target: row.integer(at: 1))
                    }
                    for pair in pairs { changes.delete(pair, in: join.name) }
                }
            }
        }
    }
}
#endif
