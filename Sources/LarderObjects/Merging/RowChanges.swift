#if Objects
/// A link of a many-to-many relationship, identified by the ids of both objects.
struct LinkPair: Hashable, Sendable {
    let source: Int64
    let target: Int64
}

/// The changes made by one transaction, grouped by entity and identified by row id.
struct RowChanges: Sendable {
    /// The inserted, updated and deleted rows of one entity.
    struct Rows: Sendable {
        var inserted: [Int64] = []
        /// The updated rows, each with an index into ``RowChanges/columns`` that identifies the row's changed columns.
        var updated: [(row: Int64, columns: Int)] = []
        var deleted: [Int64] = []

        var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
    }

    /// The inserted, moved and deleted links of one many-to-many relationship.
    ///
    /// If all lists are empty, it is not known which links changed.
    struct Links: Sendable, Equatable {
        var inserted: [LinkPair] = []
        /// The links whose positions changed.
        var moved: [LinkPair] = []
        var deleted: [LinkPair] = []

        var isEmpty: Bool { inserted.isEmpty && moved.isEmpty && deleted.isEmpty }
    }

    private(set) var entities: [Rows]
    /// The distinct sets of changed columns, to which ``Rows/updated`` refers by index.
    private(set) var columns: [ColumnSet] = []
    private var places: [ColumnSet: Int] = [:]
    /// The changed many-to-many relationships, by the names of their join tables.
    private(set) var links: [String: Links] = [:]
    /// Whether all rows must be treated as changed, for example after a reset.
    var isComplete = false
    /// Whether the same row may be recorded more than once.
    private var mayRepeat: Bool

    init(entities count: Int, mayRepeat: Bool = false) {
        entities = Array(repeating: Rows(), count: count)
        self.mayRepeat = mayRepeat
    }

    var isEmpty: Bool { links.isEmpty && !isComplete && entities.allSatisfy(\.isEmpty) }

    /// The number of rows and links, some of which may occur several times.
    var count: Int {
        entities.reduce(0) { $0 + $1.inserted.count + $1.updated.count + $1.deleted.count }
            + links.values.reduce(0) { $0 + $1.inserted.count + $1.moved.count + $1.deleted.count }
    }

    /// Allows later calls to record rows that have already been recorded.
    mutating func beginPart() { mayRepeat = mayRepeat || !isEmpty }

    mutating func insert(_ entity: Int, _ row: Int64) { entities[entity].inserted.append(row) }
    mutating func delete(_ entity: Int, _ row: Int64) { entities[entity].deleted.append(row) }

    mutating func update(_ entity: Int, _ row: Int64, _ changed: ColumnSet) {
        entities[entity].updated.append((row, place(of: changed)))
    }

    mutating func insert(_ link: LinkPair, in joinTable: String) {
        links[joinTable, default: Links()].inserted.append(link)
    }
    mutating func move(_ link: LinkPair, in joinTable: String) {
        links[joinTable, default: Links()].moved.append(link)
    }
    mutating func delete(_ link: LinkPair, in joinTable: String) {
        links[joinTable, default: Links()].deleted.append(link)
    }

    /// Records that links of a relationship changed, if it is not known which.
    mutating func changeLinks(in joinTable: String) { links[joinTable] = Links() }

    /// Adds changes that were recorded later, in the same transaction or in another one.
    mutating func add(_ other: RowChanges) {
        beginPart()
        isComplete = isComplete || other.isComplete
        for (entity, rows) in other.entities.enumerated() where !rows.isEmpty {
            entities[entity].inserted += rows.inserted
            entities[entity].deleted += rows.deleted
            for update in rows.updated { self.update(entity, update.row, other.columns[update.columns]) }
        }
        for (table, changed) in other.links { links[table] = links[table]?.adding(changed) ?? changed }
    }

    private mutating func place(of changed: ColumnSet) -> Int {
        if let last = columns.last, last == changed { return columns.count - 1 }
        if let place = places[changed] { return place }
        columns.append(changed)
        places[changed] = columns.count - 1
        return columns.count - 1
    }

    /// The changes to record, and to send to observers after the commit.
    ///
    /// Each row and each link occurs at most once.
    var result: RowChanges {
        guard mayRepeat else { return self }
        var result = self
        for entity in entities.indices where !entities[entity].isEmpty { result.consolidate(entity) }
        result.links = links.mapValues(\.consolidated)
        return result
    }

    /// Returns the same changes, with the columns of another record for the updated rows for which `isNamed` returns `true`.
    ///
    /// The closure receives an entity and a row.
    func naming(columnsOf other: RowChanges, where isNamed: (Int, Int64) -> Bool) -> RowChanges {
        var result = self
        for entity in entities.indices {
            let known = Dictionary(other.entities[entity].updated.map { ($0.row, $0.columns) }) { first, _ in first }
            result.entities[entity].updated = []
            for (row, place) in entities[entity].updated {
                let named = isNamed(entity, row) ? known[row].map { other.columns[$0] } : nil
                result.update(entity, row, named ?? columns[place])
            }
        }
        return result
    }

    private mutating func consolidate(_ entity: Int) {
        let rows = entities[entity]
        let inserted = RowIDSet(rows.inserted)
        let deleted = RowIDSet(rows.deleted)
        var updated: [Int64: ColumnSet] = [:]
        // Updates of an inserted row are part of its insertion.
        for (row, place) in rows.updated where !inserted.contains(row) && !deleted.contains(row) {
            updated[row, default: ColumnSet()].formUnion(columns[place])
        }
        var seen = RowIDSet()
        entities[entity].inserted = rows.inserted.filter { !deleted.contains($0) && seen.insert($0) }
        entities[entity].deleted = rows.deleted.filter { !inserted.contains($0) && seen.insert($0) }
        entities[entity].updated = []
        for (row, changed) in updated { update(entity, row, changed) }
    }
}

extension RowChanges.Links {
    fileprivate func adding(_ other: RowChanges.Links) -> RowChanges.Links {
        if isEmpty || other.isEmpty { return RowChanges.Links() }
        return RowChanges.Links(
            inserted: inserted + other.inserted,
            moved: moved + other.moved,
            deleted: deleted + other.deleted
        )
    }

    /// The same changes, in which each link occurs at most once.
    ///
    /// A link that was deleted and inserted again counts as moved.
    fileprivate var consolidated: RowChanges.Links {
        if isEmpty { return self }
        // The number of insertions minus the number of deletions.
        var balances = Dictionary(moved.map { ($0, 0) }, uniquingKeysWith: { first, _ in first })
        for link in inserted { balances[link, default: 0] += 1 }
        for link in deleted { balances[link, default: 0] -= 1 }
        return RowChanges.Links(
            inserted: balances.filter { $0.value > 0 }.map(\.key),
            moved: balances.filter { $0.value == 0 }.map(\.key),
            deleted: balances.filter { $0.value < 0 }.map(\.key)
        )
    }
}

extension ChangeSet {
    /// Creates the change set of a save, with object ids and property names instead of row ids and column indexes.
    init(_ save: MergeLog.Save, _ model: ResolvedModel, timeline: Int64) {
        let changes = save.changes
        origin = save.origin
        author = save.author
        token = HistoryToken(timeline: timeline, row: save.token)
        var inserted: [ObjectID] = []
        for (entity, rows) in zip(model.entities, changes.entities) where !rows.isEmpty {
            inserted += rows.inserted.map(entity.objectID)
            deleted += rows.deleted.map(entity.objectID)
            var names: [Int: Set<String>] = [:]
            for (row, place) in rows.updated {
                let properties = names[place] ?? Set(entity.changeNames(changes.columns[place].columns))
                names[place] = properties
                updated[entity.objectID(row)] = properties
            }
        }
        self.inserted = inserted.sorted { $0.rowID < $1.rowID }
        joined = Set(changes.links.keys)
        isComplete = changes.isComplete
    }
}
#endif
