#if Objects
/// A mapping from the tables and columns of a later schema version to those of the stored schema.
///
/// The mapping is used to count the data losses of later migration steps in advance. It omits tables and columns that an intermediate step
/// changes.
struct SchemaLineage {
    private var entities: [String: String] = [:]
    private var columns: [SchemaMatch.Side: String] = [:]
    private var joins: [String: String] = [:]

    /// Creates the identity mapping of the stored schema.
    init(_ schema: SchemaDescription) {
        for entity in schema.entities {
            entities[entity.name] = entity.name
            for column in entity.columns { columns[.init(entity: entity.name, name: column.name)] = column.name }
        }
        for join in schema.joinNames { joins[join] = join }
    }

    /// Updates the mapping to the schema version that a migration step produces.
    mutating func follow(_ step: PathStep) {
        let inferred = step.inferred
        var next = SchemaLineage(SchemaDescription(entities: []))
        // A stage may change any row, and deleting duplicates may delete other rows by the delete rules.
        let isOpaque = step.stage != nil || inferred.losses.contains { $0.kind == .duplicate && $0.kept != nil }
        guard !isOpaque else {
            self = next
            return
        }
        for entity in inferred.entities {
            guard let old = entity.old, let table = entities[old.name] else { continue }
            next.entities[entity.new.name] = table
            for (column, source) in zip(entity.new.columns, entity.sources) {
                guard case .column(let former) = source else { continue }
                next.columns[.init(entity: entity.new.name, name: column.name)] =
                    columns[.init(entity: old.name, name: former)]
            }
        }
        for join in inferred.joins { next.joins[join.new] = joins[join.old] }
        self = next
    }

    /// Translates a loss condition to the tables of the stored schema, or returns `nil` if earlier steps change the affected rows.
    func condition(_ condition: LossCondition, _ schema: SchemaDescription) -> LossCondition? {
        func column(_ table: String, _ name: String) -> (String, String)? {
            guard let entity = entities[table], let column = columns[.init(entity: table, name: name)] else {
                return nil
            }
            return (entity, column)
        }
        switch condition {
        case .rows(let table): return entities[table].map { .rows(table: $0) }
        case .notNull(let table, let name):
            return column(table, name).map { .notNull(table: $0, column: $1) }
        case .isNull(let table, let name):
            return column(table, name).map { .isNull(table: $0, column: $1) }
        case .outcome(let table, let name, let slot, let isInexact):
            return column(table, name).map { .outcome(table: $0, column: $1, slot: slot, isInexact: isInexact) }
        case .duplicates(let table, let names):
            let found = names.compactMap { column(table, $0)?.1 }
            guard let entity = entities[table], found.count == names.count else { return nil }
            return .duplicates(table: entity, columns: found)
        case .links(let table): return joins[table].map { .links(table: $0) }
        case .several(let query): return links(query, schema).map { .several($0) }
        case .disordered(let query): return links(query, schema).map { .disordered($0) }
        case .unlinked(let table, let query):
            guard let entity = entities[table], let found = links(query, schema) else { return nil }
            return .unlinked(table: entity, found)
        }
    }

    private func links(_ query: LinkQuery, _ schema: SchemaDescription) -> LinkQuery? {
        if let join = joins[query.table] {
            return LinkQuery(
                table: join,
                a: query.a,
                b: query.b,
                aPosition: query.aPosition,
                bPosition: query.bPosition
            )
        }
        guard let table = entities[query.table], let entity = schema.entity(query.table) else { return nil }
        var isComplete = true
        func expression(_ quoted: String) -> String {
            if quoted == ResolvedEntity.quotedKeyColumn { return quoted }
            let name = entity.columns.first { $0.name.quotedIdentifier == quoted }?.name
            guard let name, let found = columns[.init(entity: entity.name, name: name)] else {
                isComplete = false
                return quoted
            }
            return found.quotedIdentifier
        }
        let found = LinkQuery(
            table: table,
            a: expression(query.a),
            b: expression(query.b),
            aPosition: query.aPosition.map(expression),
            bPosition: query.bPosition.map(expression)
        )
        return isComplete ? found : nil
    }
}
#endif
