#if Objects
/// The names of a model's entities and columns, by which `larder_save` describes changes.
struct SaveNames: Sendable {
    struct Entity: Sendable {
        let name: String
        let columns: [String]
        /// The index of each case-folded search column, keyed by the index of the searchable attribute.
        ///
        /// Changes name only the attribute.
        let foldedColumns: [Int: Int]
        fileprivate let attributes: [Int: Int]
        fileprivate let indexes: [String: Int]

        init(name: String, columns: [String], foldedColumns: [Int: Int] = [:]) {
            self.name = name
            self.columns = columns
            self.foldedColumns = foldedColumns
            attributes = Dictionary(foldedColumns.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
            indexes = Dictionary(columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        }

        /// Returns the names of a set of columns in ascending order.
        func names(of set: ColumnSet) -> [String] {
            var names = set.columns.map { columns[attributes[$0] ?? $0] }
            names.sort()
            for index in names.indices.reversed().dropLast() where names[index] == names[index - 1] {
                names.remove(at: index)
            }
            return names
        }

        /// Returns the set of the columns with the given names, or of all columns if the names are not known.
        ///
        /// Names of other columns are ignored.
        func columns(of names: [String]?) -> ColumnSet {
            guard let names else { return ColumnSet(columns.indices) }
            var set = ColumnSet()
            for index in names.compactMap({ indexes[$0] }) {
                set.insert(index)
                if let folded = foldedColumns[index] { set.insert(folded) }
            }
            return set
        }
    }

    let entities: [Entity]
    private let byName: [String: Int]

    init(_ entities: [Entity]) {
        self.entities = entities
        byName = Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func index(of entity: String) -> Int? { byName[entity] }
}

extension SaveNames {
    init(_ model: ResolvedModel) {
        self.init(
            model.entities.map { entity in
                Entity(name: entity.name, columns: entity.columns.map(\.name), foldedColumns: entity.foldedColumns)
            }
        )
    }
}

extension SavedChanges {
    /// Creates the description of changes in which each row occurs once.
    init(_ changes: RowChanges, _ names: SaveNames) {
        if changes.isComplete {
            scope = .reset
            return
        }
        for (entity, rows) in zip(names.entities, changes.entities) where !rows.isEmpty {
            func add(_ kind: Kind, _ ids: [Int64], _ properties: [String]? = nil) {
                guard !ids.isEmpty else { return }
                objects.append(Objects(entity: entity.name, kind: kind, properties: properties, ids: Self.ranges(ids)))
            }
            add(.inserted, rows.inserted)
            var updated: [Int: [Int64]] = [:]
            for (row, columns) in rows.updated { updated[columns, default: []].append(row) }
            // Sets with and without a case-folded search column have the same names.
            let named = Dictionary(
                updated.map { (entity.names(of: changes.columns[$0]), $1) },
                uniquingKeysWith: +
            )
            for (names, ids) in named.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                add(.updated, ids, names)
            }
            add(.deleted, rows.deleted)
        }
        for (table, changed) in changes.links.sorted(by: { $0.key < $1.key }) {
            if changed.isEmpty { links.append(Links(joinTable: table, kind: .updated, pairs: [])) }
            for (kind, pairs) in [
                (Kind.inserted, changed.inserted), (.updated, changed.moved), (.deleted, changed.deleted),
            ] where !pairs.isEmpty {
                let sorted = pairs.sorted { ($0.source, $0.target) < ($1.source, $1.target) }
                links.append(Links(joinTable: table, kind: kind, pairs: sorted))
            }
        }
    }

    /// Returns the ranges of consecutive ids, in ascending order.
    static func ranges(_ ids: [Int64]) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for id in ids.sorted() {
            if let last = ranges.last, last.upperBound < .max, last.upperBound + 1 == id {
                ranges[ranges.count - 1] = last.lowerBound...id
            } else {
                ranges.append(id...id)
            }
        }
        return ranges
    }

    /// Returns the changes with the indexes of a model.
    ///
    /// Entities that the model lacks are ignored. If the changed columns of an object are not known, it has changes in all columns. Any
    /// scope except ``Scope/objects`` yields complete changes.
    func rowChanges(_ names: SaveNames) -> RowChanges {
        var changes = RowChanges(entities: names.entities.count)
        changes.isComplete = scope != .objects
        for group in objects {
            guard let entity = names.index(of: group.entity) else { continue }
            let columns = group.kind == .updated ? names.entities[entity].columns(of: group.properties) : ColumnSet()
            for id in group.ids.joined() {
                switch group.kind {
                case .inserted: changes.insert(entity, id)
                case .updated: changes.update(entity, id, columns)
                case .deleted: changes.delete(entity, id)
                }
            }
        }
        for group in links {
            if group.pairs.isEmpty { changes.changeLinks(in: group.joinTable) }
            for pair in group.pairs {
                switch group.kind {
                case .inserted: changes.insert(pair, in: group.joinTable)
                case .updated: changes.move(pair, in: group.joinTable)
                case .deleted: changes.delete(pair, in: group.joinTable)
                }
            }
        }
        return changes
    }
}
#endif
