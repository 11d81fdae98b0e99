#if Objects
internal import LarderCore

/// The ids of a list's objects, or those of a section, in order.
///
/// Accessing an element takes a logarithmic number of steps.
public struct ResultsIDs: RandomAccessCollection, Sendable, Hashable {
    private let entityName: String
    private let lists: [ChunkedList<SortKey>]
    /// For each list, the number of ids in it and in the lists before it.
    private let ends: [Int]

    init(_ entityName: String, _ lists: [ChunkedList<SortKey>]) {
        self.entityName = entityName
        self.lists = lists
        var end = 0
        ends = lists.map { list in
            end += list.count
            return end
        }
    }

    /// The index of the first id, which is 0.
    public var startIndex: Int { 0 }
    /// The number of ids.
    public var endIndex: Int { ends.last ?? 0 }

    /// Returns the id at an index.
    ///
    /// - Parameter index: The index, which starts at 0.
    public subscript(index: Int) -> ObjectID {
        let list = ends.partitioningIndex { $0 > index }
        let start = list == 0 ? 0 : ends[list - 1]
        return ObjectID(entityName: entityName, rowID: lists[list][index - start].id)
    }

    /// Returns whether two collections contain the same ids in the same order.
    public static func == (first: ResultsIDs, second: ResultsIDs) -> Bool {
        first.count == second.count && first.elementsEqual(second)
    }

    /// Hashes the ids.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for id in self { hasher.combine(id) }
    }
}
#endif
