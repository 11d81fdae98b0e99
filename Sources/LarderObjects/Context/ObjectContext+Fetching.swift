#if Objects
internal import Foundation

extension ObjectContext {
    /// The SQL translation of a request.
    struct Plan {
        let entity: ResolvedEntity
        let translator: SQLTranslator
        let source: SQLTranslator.Source
        let condition: String?
        /// The identifiers of the joins whose rows must exist for the condition to be true.
        let required: Set<Int>
        let sort: ResolvedSort
        /// The values by which the query sorts, as SQL.
        let sortValues: [String]

        var order: String { sort.order(by: sortValues, source) }
        /// The query's `FROM` clause, without the keyword.
        var from: String { "\(entity.table) AS \(source.alias)\(translator.rootJoins(required))" }
        var tables: String { " FROM " + from }
        var filter: String { condition.map { " WHERE \($0)" } ?? "" }
        var rows: String {
            "SELECT \(ObjectContext.selection(entity, alias: source.alias))\(tables)\(filter) ORDER BY \(order)"
        }
        /// The query that returns the ids of matching rows in the requested order.
        var ids: String { "SELECT \(source.key)\(tables)\(filter) ORDER BY \(order)" }
        /// The query that returns all rows of the entity, ordered by id.
        var all: String {
            "SELECT \(ObjectContext.selection(entity, alias: source.alias)) FROM \(entity.table) AS \(source.alias) ORDER BY \(source.key)"
        }

        /// Returns the query for a request's rows, with the request's limit and offset.
        ///
        /// The limit and the offset are bound as parameters, so that all pages share one prepared statement.
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
        let sortValues = sort.values(&translator, source)
        guard translator.values.count <= FilterLimits.constants else {
            throw SQLTranslator.unsupported(
                "\(translator.values.count) constants, which is more than the maximum of \(FilterLimits.constants)",
                "Split the query, or put integers into one list"
            )
        }
        return Plan(
            entity: entity,
            translator: translator,
            source: source,
            condition: formula?.sql,
            required: formula?.rows ?? [],
            sort: sort,
            sortValues: sortValues
        )
    }

    func fetch<T: Object>(_ request: ObjectRequest<T>) throws -> [T] {
        // The plan is created without holding the context's lock, because predicates and key paths can run client code.
        let plan = try plan(request)
        let prefetched = try request.prefetch.map { try relationship($0, plan.entity) }
        let states = try exclusively {
            sweep()
            readUnread()
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
        let state = try exclusively { () -> ObjectState? in
            readUnread()
            let state = try during(Self.name("loadObject", type, nil)) {
                // The id may contain a former name of the entity.
                guard try id.entityName == entity.name || isFormer(id.entityName, of: entity) else {
                    return ObjectState?.none
                }
                return try entries(entity, [id.rowID]).first
            }
            guard let state else {
                _ = try openSource()
                return nil
            }
            return state.status == .stored || state.status == .inserted ? state : nil
        }
        return state.flatMap { instance(of: $0) as? T }
    }

    /// Returns the objects in the given rows, in this order, without rows that do not exist.
    ///
    /// The objects and each of the relationships in `prefetched` are fetched with one query.
    func load<T: Object>(_ type: T.Type, _ rows: [Int64], prefetching prefetched: [PartialKeyPath<T>]) throws -> [T] {
        let entity = try model.entity(of: type)
        let prefetched = try prefetched.map { try relationship($0, entity) }
        let states = try exclusively {
            _ = try openSource()
            readUnread()
            return try during(Self.name("objects", type, nil)) {
                let states = try entries(entity, rows).filter { $0.status == .stored }
                for relationship in prefetched { try prefetch(states, relationship) }
                return states
            }
        }
        return instances(type, of: states)
    }

    /// Returns whether the entity had the given name in an earlier version of the model.
    private func isFormer(_ name: String, of entity: ResolvedEntity) throws -> Bool {
        // A database in format 1 does not have this table and therefore has no former names.
        let sql =
            "SELECT 1 FROM sqlite_schema WHERE name = 'larder_former_name'"
        guard try !query(sql, [], { $0.integer(at: 0) }).isEmpty else { return false }
        let names = "SELECT 1 FROM larder_former_name WHERE former = ? AND current = ?"
        return try !query(names, [.text(name), .text(entity.name)]) { $0.integer(at: 0) }.isEmpty
    }

    /// Returns the relationship that a key path refers to.
    private func relationship<T: Object>(
        _ keyPath: PartialKeyPath<T>,
        _ entity: ResolvedEntity
    ) throws -> ResolvedRelationship {
        guard case .relationship(let place)? = entity.description.propertiesByKeyPath[keyPath] else {
            throw SQLTranslator.unsupported(
                "a prefetch of a property that is not a relationship",
                "Prefetch a relationship"
            )
        }
        return entity.relationships[place]
    }

    private func prefetch(_ states: [ObjectState], _ relationship: ResolvedRelationship) throws {
        // Each call fetches the related objects of a whole batch, so that few queries are needed.
        if case .reference(let column) = relationship.storage {
            for state in states {
                guard let id = state.reference(column), tables[relationship.destination][id] == nil else { continue }
                _ = try target(of: state, relationship)
            }
        } else {
            for state in states where state.status == .stored { _ = try list(of: state, relationship) }
        }
    }

    /// Returns the entity's objects with unsaved changes, including inserted and deleted objects.
    private func changedStates(_ entity: ResolvedEntity) -> [ObjectState] {
        listed[entity.index].filter { state in
            switch state.status {
            case .inserted, .deleted: true
            case .stored: state.isChanged
            case .gone, .placeholder, .probe: false
            }
        }
    }

    /// Returns whether a query's result depends on unsaved changes to related objects.
    private func touchesChanges(_ plan: Plan) -> Bool {
        if plan.translator.touched.isEmpty { return false }
        if links.pairs.contains(where: { !$0.value.isEmpty }) { return true }
        return plan.translator.touched.contains { !changedStates(model.entities[$0]).isEmpty }
            || !changedStates(plan.entity).isEmpty
    }

    /// Records the entities that a query's result depends on.
    private func touch(_ plan: Plan) {
        region?.formUnion(plan.translator.touched)
        region?.insert(plan.entity.index)
    }

    /// Fetches the objects that match a request.
    ///
    /// The result combines the database's rows with the context's unsaved changes.
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
        // Evaluation reads relationships through accessors, which can't throw errors and record them instead.
        if failure != nil { _ = try openSource() }
        return result
    }

    private func rows(_ sql: String, _ values: [ColumnValue], _ entity: ResolvedEntity) throws -> [ObjectState] {
        try register(entity, sql, values)
    }
}
#endif
