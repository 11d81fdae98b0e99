#if Objects
/// The changes of one save as `larder_save` contains them, with names instead of indexes of the model.
struct SavedChanges: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable, CaseIterable { case inserted, updated, deleted }

    enum Scope: Sendable, Hashable {
        /// Only the listed objects and links changed.
        case objects
        /// All objects were deleted.
        case reset
        case migration(from: Int, to: Int)
        /// Any object may have changed.
        case anything
    }

    /// Changed objects of one entity.
    struct Objects: Sendable, Hashable {
        let entity: String
        let kind: Kind
        /// The names of the changed columns of updated objects in ascending order, or `nil` if they are not known.
        var properties: [String]?
        /// Ranges in ascending order.
        var ids: [ClosedRange<Int64>]

        var count: Int { ids.reduce(0) { $0 + $1.count } }
    }

    /// Changed links of one many-to-many relationship.
    ///
    /// An updated link has another position. If there are no pairs, it is not known which links changed.
    struct Links: Sendable, Hashable {
        let joinTable: String
        let kind: Kind
        var pairs: [LinkPair]
    }

    var scope = Scope.objects
    /// The objects, grouped by entity and kind.
    var objects: [Objects] = []
    /// The links, grouped by join table and kind.
    var links: [Links] = []
    /// The values of updated and deleted objects before the save, as far as they were recorded and read.
    var values: [Values] = []

    /// The number of objects and links.
    var count: Int { objects.reduce(0) { $0 + $1.count } + links.reduce(0) { $0 + $1.pairs.count } }

    /// Whether nothing changed.
    var isEmpty: Bool { scope == .objects && objects.isEmpty && links.isEmpty }
}

extension SavedChanges {
    /// Returns the same changes in parts of at most `limit` objects and links.
    func parts(of limit: Int) -> [SavedChanges] {
        guard count > limit else { return [self] }
        var parts: [SavedChanges] = []
        var part = SavedChanges()
        var left = limit
        func fill(_ count: Int) {
            left -= count
            guard left == 0 else { return }
            parts.append(part)
            part = SavedChanges()
            left = limit
        }
        for group in objects {
            var rest = group.ids[...]
            while !rest.isEmpty {
                var taken = group
                taken.ids = Self.take(left, of: &rest)
                part.objects.append(taken)
                fill(taken.count)
            }
        }
        for group in links {
            var rest = group.pairs[...]
            repeat {
                var taken = group
                taken.pairs = Array(rest.prefix(left))
                rest = rest.dropFirst(left)
                part.links.append(taken)
                fill(taken.pairs.count)
            } while !rest.isEmpty
        }
        // A group without links has no size, but means that any link may have changed.
        if left < limit || !part.links.isEmpty { parts.append(part) }
        return parts
    }

    /// Removes and returns the first ids, at most `limit`.
    private static func take(
        _ limit: Int,
        of ranges: inout ArraySlice<ClosedRange<Int64>>
    ) -> [ClosedRange<Int64>] {
        var taken: [ClosedRange<Int64>] = []
        var left = limit
        while left > 0, let range = ranges.popFirst() {
            if range.count <= left {
                taken.append(range)
                left -= range.count
            } else {
                let middle = range.lowerBound + Int64(left)
                taken.append(range.lowerBound...(middle - 1))
                ranges.insert(middle...range.upperBound, at: ranges.startIndex)
                left = 0
            }
        }
        return taken
    }
}
#endif
