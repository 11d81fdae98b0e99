#if Objects
/// A record of the values that a running migration loses, with the ids of the first affected objects.
struct LossLedger {
    /// The maximum number of object ids to record per loss.
    static let shownIDs = 5

    struct Place: Hashable {
        let slot: Int
        let kind: MigrationLoss.Kind
    }

    private(set) var counts: [Place: (count: Int, ids: [Int64])] = [:]

    mutating func note(_ place: Place, objectID: Int64) {
        var entry = counts[place] ?? (0, [])
        entry.count += 1
        if entry.ids.count < Self.shownIDs { entry.ids.append(objectID) }
        counts[place] = entry
    }
}
#endif
