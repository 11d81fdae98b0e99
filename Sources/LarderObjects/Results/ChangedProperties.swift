#if Objects
/// The names of the properties that a save changed in the objects of one entity.
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
        names = changes.columns.map { Set(entity.changeNames($0.columns)) }
        for (row, place) in rows.updated {
            // A row that several saves have changed occurs several times.
            guard let earlier = places[row], earlier != place else {
                places[row] = place
                continue
            }
            places[row] = names.count
            names.append(names[earlier].union(names[place]))
        }
        inserted = RowIDSet(rows.inserted)
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
