#if Objects
internal import Foundation

extension ObjectContext {
    /// Which rows to look at, in SQL.
    struct Plan {
        let entity: ResolvedEntity
        let translator: SQLTranslator
        let source: SQLTranslator.Source
        let condition: String?
        /// What follows FROM.
        let from: String
        let sort: ResolvedSort
        let order: String

        var tables: String { " FROM " + from }
        var filter: String { condition.map { " WHERE \($0)" } ?? "" }
        var rows: String {
            "SELECT \(ObjectContext.selection(entity, alias: source.alias))\(tables)\(filter) ORDER BY \(order)"
        }
        /// The ids in their order.
        var ids: String { "SELECT \(source.key)\(tables)\(filter) ORDER BY \(order)" }
        /// All rows of the entity, in the order of their ids.
        var all: String {
            "SELECT \(ObjectContext.selection(entity, alias: source.alias)) FROM \(entity.table) AS \(source.alias) ORDER BY \(source.key)"
        }

        /// The query for the rows that a request asks for, and its parameters.
        ///
        /// The limit and the offset are parameters, so that the statement of one page serves for all.
        func page<T: Object>(_ request: ObjectRequest<T>) -> (sql: String, values: [ColumnValue]) {
            guard request.limit != nil || request.offset > 0 else { return (rows, translator.values) }
            var translator = translator
            let limit = translator.bind(.integer(Int64(request.limit.map { max(0, $0) } ?? -1)))
            let offset = translator.bind(.integer(Int64(max(0, request.offset))))
            return (rows + " LIMIT \(limit) OFFSET \(offset)", translator.values)
        }
    }

    func plan<T: Object>(_ request: ObjectRequest<T>) throws -> Plan {
        let entity = try model.entity(of: T.self)
        let sort = try ResolvedSort(request.sortedBy, in: self)
        var translator = SQLTranslator(self)
        let source = translator.source(entity)
        let formula = try request.filter?.condition(&translator, source).whenTrue
        let order = sort.sql(&translator, source)
        guard translator.values.count <= FilterLimits.constants else {
            throw SQLTranslator.unsupported(
                "\(translator.values.count) constants, where at most \(FilterLimits.constants) are allowed",
                "divide the query, or put integers into one list"
            )
        }
        return Plan(
            entity: entity,
            translator: translator,
            source: source,
            condition: formula?.sql,
            from: "\(entity.table) AS \(source.alias)\(translator.rootJoins(formula?.rows ?? []))",
            sort: sort,
            order: order
        )
    }

    func fetch<T: Object>(_ request: ObjectRequest<T>) throws -> [T] {
        // Outside the gate: predicates and key paths run the caller's code.
        let plan = try plan(request)
        let prefetched = try request.prefetch.map { try relationship($0, plan.entity) }
        let states = try exclusively {
            sweep()
            return try during(Self.name("allObjects", T.self, request.site)) {
                let states = try self.states(request, plan)
                for relationship in prefetched { try prefetch(states, relationship) }
                return states
            }
        }
        return instances(T.self, of: states)
    }

    func count<T: Object>(_ request: ObjectRequest<T>) throws -> Int {
        let plan = try plan(request)
        return try exclusively {
            try during(Self.name("countObjects", T.self, request.site)) {
                touch(plan)
                guard changedStates(plan.entity).isEmpty, !touchesChanges(plan) else {
                    return try states(request, plan).count
                }
                let sql = "SELECT count(*)\(plan.tables)\(plan.filter)"
                let all = try query(sql, plan.translator.values) { Int($0.integer(at: 0)) }.first ?? 0
                let rest = max(0, all - max(0, request.offset))
                return request.limit.map { min(max(0, $0), rest) } ?? rest
            }
        }
    }

    func load<T: Object>(_ type: T.Type, _ id: ObjectID) throws -> T? {
        let entity = try model.entity(of: type)
        guard id.entityName == entity.name else { return nil }
        let state = try exclusively { () -> ObjectState? in
            let state = try during(Self.name("loadObject", type, nil)) { try entries(entity, [id.rowID]).first }
            guard let state else {
                _ = try openSource()
                return nil
            }
            return state.status == .stored || state.status == .inserted ? state : nil
        }
        return state.flatMap { instance(of: $0) as? T }
    }

    /// The relationship that a key path names.
    private func relationship<T: Object>(
        _ keyPath: PartialKeyPath<T>,
        _ entity: ResolvedEntity
    ) throws -> ResolvedRelationship {
        guard case .relationship(let place)? = entity.description.propertiesByKeyPath[keyPath] else {
            throw SQLTranslator.unsupported("a prefetch of something that is no relationship", "name a relationship")
        }
        return entity.relationships[place]
    }

    private func prefetch(_ states: [ObjectState], _ relationship: ResolvedRelationship) throws {
        // Each call reads for as many as are read together, so that few queries serve all.
        if case .reference(let column) = relationship.storage {
            for state in states {
                guard let id = state.reference(column), tables[relationship.destination][id] == nil else { continue }
                _ = try target(of: state, relationship)
            }
        } else {
            for state in states where state.status == .stored { _ = try list(of: state, relationship) }
        }
    }

    /// Objects of an entity that differ from their rows.
    private func changedStates(_ entity: ResolvedEntity) -> [ObjectState] {
        listed[entity.index].filter { state in
            switch state.status {
            case .inserted, .deleted: true
            case .stored: state.isChanged
            case .gone, .placeholder, .probe: false
            }
        }
    }

    /// Whether the answer depends on changes of objects beside those asked for, which the database does not know.
    private func touchesChanges(_ plan: Plan) -> Bool {
        if plan.translator.touched.isEmpty { return false }
        if links.pairs.contains(where: { !$0.value.isEmpty }) { return true }
        return plan.translator.touched.contains { !changedStates(model.entities[$0]).isEmpty }
            || !changedStates(plan.entity).isEmpty
    }

    /// Notes the entities that an answer depends on.
    private func touch(_ plan: Plan) {
        region?.formUnion(plan.translator.touched)
        region?.insert(plan.entity.index)
    }

    /// The states of the objects asked for: what the database has, then what is not saved laid over it.
    private func states<T: Object>(_ request: ObjectRequest<T>, _ plan: Plan) throws -> [ObjectState] {
        touch(plan)
        let limit = request.limit.map { max(0, $0) }
        let offset = max(0, request.offset)
        let changed = changedStates(plan.entity)
        if changed.isEmpty, !touchesChanges(plan) {
            if limit == nil, offset == 0, plan.condition == nil, plan.sort.isByRelated {
                return try register(plan.entity, rows: plan.all, inOrderOf: plan.ids, plan.translator.values)
            }
            let page = plan.page(request)
            return try rows(page.sql, page.values, plan.entity)
        }
        var states: [ObjectState]
        if touchesChanges(plan) {
            let key = ResolvedEntity.keyColumn.quotedIdentifier
            let sql =
                "SELECT \(Self.selection(plan.entity, alias: "t")) FROM \(plan.entity.table) AS t ORDER BY t.\(key)"
            states = try rows(sql, [], plan.entity).filter { $0.status == .stored }
            states += changed.filter { $0.status == .inserted }
            states = try states.filter { try matches(request, $0) }
        } else {
            var sql = plan.rows
            if let limit { sql += " LIMIT \(offset + limit + changed.count)" }
            let differing = Set(changed.map(\.rowID))
            states = try rows(sql, plan.translator.values, plan.entity).filter { !differing.contains($0.rowID) }
            states += try changed.filter { state in
                try (state.status == .stored || state.status == .inserted) && matches(request, state)
            }
        }
        try plan.sort.sort(&states, in: self)
        return Array(states.dropFirst(offset).prefix(limit ?? Int.max))
    }

    private func matches<T: Object>(_ request: ObjectRequest<T>, _ state: ObjectState) throws -> Bool {
        guard let filter = request.filter else { return true }
        guard let object = instance(of: state) as? T else { return false }
        let result = try filter.evaluate(object)
        // Evaluating reads relationships through accessors, which can't throw.
        if failure != nil { _ = try openSource() }
        return result
    }

    private func rows(_ sql: String, _ values: [ColumnValue], _ entity: ResolvedEntity) throws -> [ObjectState] {
        try register(entity, sql, values)
    }
}
#endif
