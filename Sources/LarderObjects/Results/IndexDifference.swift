#if Objects
internal import LarderCore

/// The difference between two states of a ``ResultsIndex``.
///
/// A list that knows only the old state applies the deletions, the deleted sections, the inserted sections and the insertions, in this order.
struct IndexDifference: Sendable {
    /// A row that may have changed, with its keys in both lists.
    struct Change {
        let id: Int64
        let old: SortKey?
        let new: SortKey?
    }
    struct Insertion: Sendable {
        let path: ResultsPath
        let id: Int64
    }
    struct Move: Sendable {
        let id: Int64
        let from: ResultsPath
        let to: ResultsPath
    }

    /// The old paths of deleted and moved rows, from the last to the first.
    let deletions: [ResultsPath]
    /// The old indexes of the deleted sections, from the last to the first.
    let deletedSections: [Int]
    /// The new indexes of the inserted sections, from the first to the last.
    let insertedSections: [Int]
    /// The inserted and moved rows, in the order of their new paths.
    let insertions: [Insertion]
    /// The moved rows, in the order of their new paths.
    ///
    /// Each is also a deletion and an insertion.
    let moves: [Move]
    /// The other rows of both lists that may have changed, and the moved rows, in the order of their new paths.
    let updates: [Insertion]

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && updates.isEmpty && deletedSections.isEmpty
            && insertedSections.isEmpty
    }

    /// Creates the difference between two lists.
    ///
    /// - Parameters:
    ///   - old: The old list.
    ///   - new: The new list.
    ///   - changes: The rows that differ. A row with equal keys is an update.
    ///   - keepsSections: Whether sections with the same value are the same section.
    ///     If not, `changes` must contain all rows.
    init(from old: ResultsIndex, to new: ResultsIndex, _ changes: [Change], keepsSections: Bool = true) {
        let rekeyed = changes.filter { $0.old != $0.new || !keepsSections }
        let leaving = Self.places(in: old, rekeyed.compactMap(\.old))
        let arriving = Self.places(in: new, rekeyed.compactMap(\.new))
        let oldPlaces = Dictionary(leaving.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let staying = Self.staying(arriving, from: oldPlaces) {
            keepsSections && old.sections[$0.path.section].range == new.sections[$1.path.section].range
        }

        deletions = leaving.reversed().filter { !staying.contains($0.id) }.map(\.path)
        insertions = arriving.filter { !staying.contains($0.id) }.map { Insertion(path: $0.path, id: $0.id) }
        moves = insertions.compactMap { insertion in
            oldPlaces[insertion.id].map { Move(id: insertion.id, from: $0.path, to: insertion.path) }
        }
        if keepsSections {
            deletedSections = Set(leaving.map(\.path.section)).sorted(by: >)
                .filter { new.section(with: old.sections[$0].range) == nil }
            insertedSections = Set(arriving.map(\.path.section)).sorted()
                .filter { old.section(with: new.sections[$0].range) == nil }
        } else {
            deletedSections = old.sections.indices.reversed()
            insertedSections = Array(new.sections.indices)
        }
        updates = changes.compactMap { $0.old == nil ? nil : $0.new }
            .map { Insertion(path: new.path(of: $0), id: $0.id) }
            .sorted { $0.path < $1.path }
    }

    /// The place of a row whose key is only in one of the lists.
    private struct Place {
        let id: Int64
        let path: ResultsPath
        /// The number of rows before it in its section whose keys are in both lists.
        let before: Int
    }

    /// Returns the places of keys in order.
    private static func places(in index: ResultsIndex, _ keys: [SortKey]) -> [Place] {
        let paths = keys.map { (id: $0.id, path: index.path(of: $0)) }.sorted { $0.path < $1.path }
        var places: [Place] = []
        var first = 0
        for (place, entry) in paths.enumerated() {
            if entry.path.section != paths[first].path.section { first = place }
            places.append(Place(id: entry.id, path: entry.path, before: entry.path.item - (place - first)))
        }
        return places
    }

    /// Returns the rows with new keys that need no move.
    ///
    /// These rows are between the same two rows with unchanged keys in both lists, and have the same order there.
    private static func staying(
        _ arriving: [Place],
        from oldPlaces: [Int64: Place],
        isSameSection: (Place, Place) -> Bool
    ) -> Set<Int64> {
        var staying: Set<Int64> = []
        var start = 0
        while start < arriving.count {
            let gap = arriving[start]
            let end = arriving[start...].firstIndex { $0.path.section != gap.path.section || $0.before != gap.before }
            let candidates = arriving[start..<(end ?? arriving.count)].compactMap { place -> Place? in
                guard let old = oldPlaces[place.id], old.before == place.before, isSameSection(old, place) else {
                    return nil
                }
                return old
            }
            for place in longestIncreasing(candidates.map(\.path)) { staying.insert(candidates[place].id) }
            start = end ?? arriving.count
        }
        return staying
    }

    /// Returns the indexes of a longest strictly increasing subsequence.
    static func longestIncreasing(_ values: [some Comparable]) -> [Int] {
        // For each length, the index of the smallest value in which a subsequence of this length ends.
        var ends: [Int] = []
        var previous: [Int?] = []
        for (index, value) in values.enumerated() {
            let length = ends.partitioningIndex { values[$0] >= value }
            previous.append(length == 0 ? nil : ends[length - 1])
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        var result: [Int] = []
        var next = ends.last
        while let index = next {
            result.append(index)
            next = previous[index]
        }
        return result.reversed()
    }
}
#endif
