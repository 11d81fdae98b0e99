#if Objects
/// The names of the properties that one or more saves changed in the objects of one entity.
struct ChangedProperties {
    /// For each set of changed columns, the names of the properties.
    private var names: [Set<String>] = []
    /// For each updated row, the index of its names.
    private var places: [Int64: Int] = [:]
    private var inserted = RowIDSet()
    private var isUnknown = false

    /// The properties after a change of unknown extent.
    static let unknown: ChangedProperties = {
        var properties = ChangedProperties()
        properties.isUnknown = true
        return properties
    }()

    private init() {}

    init(_ changes: RowChanges, _ entity: ResolvedEntity) {
        guard !changes.isComplete else {
            isUnknown = true
            return
        }
        let rows = changes.entities[entity.index]
        // The index of the names of each set of columns, and of the union of two indexes.
        var known: [Int: Int] = [:]
        var unions: [Pair: Int] = [:]
        func place(of names: Set<String>) -> Int {
            self.names.append(names)
            return self.names.count - 1
        }
        for (row, columns) in rows.updated {
            let new = known[columns] ?? place(of: Set(entity.changeNames(changes.columns[columns].columns)))
            known[columns] = new
            // A row that several saves have changed occurs several times.
            guard let earlier = places[row], earlier != new else {
                places[row] = new
                continue
            }
            let pair = Pair(first: earlier, second: new)
            let union = unions[pair] ?? (names[new].isSubset(of: names[earlier]) ? earlier : nil)
            places[row] = union ?? place(of: names[earlier].union(names[new]))
            unions[pair] = places[row]
        }
        inserted = RowIDSet(rows.inserted)
    }

    private struct Pair: Hashable {
        let first: Int
        let second: Int
    }

    /// The names of a row's changed properties, or `nil` if they are not known.
    ///
    /// The set is empty if the row has not changed.
    subscript(row: Int64) -> Set<String>? {
        if isUnknown || inserted.contains(row) { return nil }
        return places[row].map { names[$0] } ?? []
    }
}
#endif
