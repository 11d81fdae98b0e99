#if Objects
/// The columns of a model whose values the history can contain.
struct HistoryColumns: Sendable {
    struct Entity: Sendable {
        let name: String
        let columns: [String]
        /// The columns that are stored for their own sake, in ascending order of names.
        let all: [Int]
        /// The columns whose values a tombstone keeps, in ascending order of names.
        let kept: [Int]
    }

    let entities: [Entity]
    private let all: [[Int]]
    private let kept: [[Int]]
    private let none: [[Int]]

    init(_ model: ResolvedModel) {
        entities = model.entities.map { entity in
            let columns = entity.columns
            let all = columns.indices.filter { if case .folded = columns[$0].role { false } else { true } }
                .sorted { columns[$0].name < columns[$1].name }
            let kept = all.filter { column in
                guard case .attribute(let place) = columns[column].role else { return false }
                return entity.description.attributes[place].options.contains(.preserveValueOnDeletion)
            }
            return Entity(name: entity.name, columns: columns.map(\.name), all: all, kept: kept)
        }
        (all, kept, none) = (entities.map(\.all), entities.map(\.kept), entities.map { _ in [] })
    }

    /// Returns the columns of each entity whose values a policy records, in ascending order of names.
    func recorded(by policy: StoredHistoryPolicy) -> [[Int]] {
        policy.hasOldValues ? all : policy.isKept ? kept : none
    }
}

/// The values that objects had before the current transaction, as far as the file's policy asks for them.
struct OldValues: Sendable {
    private typealias Row = [Int: ColumnValue]

    private let columns: HistoryColumns
    private let policy: StoredHistoryPolicy
    /// For each entity, the columns whose values may be recorded, in ascending order of names.
    let recorded: [[Int]]
    private var entities: [[Int64: Row]]

    init(_ columns: HistoryColumns, _ policy: StoredHistoryPolicy) {
        self.columns = columns
        self.policy = policy
        recorded = columns.recorded(by: policy)
        entities = policy.isKept ? columns.entities.map { _ in [:] } : []
    }

    /// Returns the columns of an entity, or those in a set, whose values must be noted before an update.
    func noted(_ entity: Int, _ set: ColumnSet) -> [Int] {
        guard policy.isKept else { return [] }
        return recorded[entity].filter(set.contains)
    }

    /// Returns the columns of an entity whose values must be noted before a deletion.
    func noted(_ entity: Int) -> [Int] { policy.isKept ? columns.entities[entity].kept : [] }

    /// Notes the value of a column, unless it was noted before.
    ///
    /// The first value is the one that the object had before the transaction.
    mutating func note(_ entity: Int, _ row: Int64, _ column: Int, _ value: @autoclosure () -> ColumnValue) {
        guard entities.indices.contains(entity), entities[entity][row]?[column] == nil else { return }
        entities[entity][row, default: [:]][column] = value()
    }

    /// Notes the values that an object has before it is updated.
    mutating func noteUpdate(_ state: ObjectState, _ changed: ColumnSet) {
        guard policy.isKept, let row = state.row else { return }
        let entity = state.entity.index
        for column in noted(entity, changed) { note(entity, state.rowID, column, row.value(at: column)) }
    }

    /// Notes the values that an object has before it is deleted.
    mutating func noteDeletion(_ state: ObjectState) {
        guard policy.isKept, let row = state.row else { return }
        let entity = state.entity.index
        for column in noted(entity) { note(entity, state.rowID, column, row.value(at: column)) }
    }

    /// Notes the values of columns that a query returns, each row beginning with the id.
    mutating func note(
        _ entity: Int,
        _ columns: [Int],
        _ sql: String,
        _ values: [ColumnValue],
        _ statements: StatementCache
    ) throws {
        let statement = try statements.statement(sql)
        statement.bind(values)
        while try statement.step() {
            let id = statement.integer(at: 0)
            for (place, column) in columns.enumerated() { note(entity, id, column, statement.value(at: place + 1)) }
        }
    }

    /// Discards the values of an object, because another program's trigger may have changed it before they were noted.
    mutating func discard(_ entity: Int, _ row: Int64) {
        if entities.indices.contains(entity) { entities[entity][row] = nil }
    }

    /// Returns the values to record together with the net changes of the transaction.
    func values(of changes: RowChanges) -> [SavedChanges.Values] {
        guard !changes.isComplete else { return [] }
        var result: [SavedChanges.Values] = []
        for (entity, noted) in entities.enumerated() where !noted.isEmpty {
            let rows = changes.entities[entity]
            if policy.hasOldValues {
                let all = columns.entities[entity].all
                var updated: [[Int]: [(Int64, Row)]] = [:]
                for (id, place) in rows.updated {
                    guard let row = noted[id] else { continue }
                    let changed = changes.columns[place]
                    updated[all.filter { changed.contains($0) && row[$0] != nil }, default: []].append((id, row))
                }
                result += values(entity, .updated, updated)
            }
            let kept = columns.entities[entity].kept
            var deleted: [[Int]: [(Int64, Row)]] = [:]
            if !kept.isEmpty {
                for id in rows.deleted {
                    guard let row = noted[id] else { continue }
                    deleted[kept.filter { row[$0] != nil }, default: []].append((id, row))
                }
            }
            result += values(entity, .deleted, deleted)
        }
        return result
    }

    private func values(
        _ entity: Int,
        _ kind: SavedChanges.Kind,
        _ groups: [[Int]: [(id: Int64, row: Row)]]
    ) -> [SavedChanges.Values] {
        let entity = columns.entities[entity]
        return groups.filter { !$0.key.isEmpty }.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
            columns,
            rows in
            SavedChanges.Values(
                entity: entity.name,
                kind: kind,
                columns: columns.map { entity.columns[$0] },
                rows: rows.sorted { $0.id < $1.id }.map { id, row in
                    .init(id: id, values: columns.map { row[$0] ?? .null })
                }
            )
        }
    }
}
#endif
