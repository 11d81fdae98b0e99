#if Objects
/// A list of filters, stored as a balanced tree to limit the recursion depth.
final class FilterList<T: Object>: Sendable {
    private enum Content: Sendable {
        case one(Filter<T>)
        case two(FilterList, FilterList)
    }

    private let content: Content
    let count: Int
    private let height: Int

    init(_ filter: Filter<T>) {
        content = .one(filter)
        count = 1
        height = 0
    }

    private init(_ first: FilterList, _ second: FilterList) {
        content = .two(first, second)
        count = first.count + second.count
        height = 1 + max(first.height, second.height)
    }

    /// Concatenates two lists.
    ///
    /// - Complexity: O(*d*), where *d* is the difference between the heights of the two trees. The heights are logarithmic in the counts.
    static func joined(_ first: FilterList, _ second: FilterList) -> FilterList {
        if first.height > second.height + 1, case .two(let outer, let inner) = first.content {
            return balanced(outer, joined(inner, second))
        }
        if second.height > first.height + 1, case .two(let inner, let outer) = second.content {
            return balanced(joined(first, inner), outer)
        }
        return FilterList(first, second)
    }

    /// Concatenates two lists whose trees differ in height by at most two.
    private static func balanced(_ first: FilterList, _ second: FilterList) -> FilterList {
        if second.height > first.height + 1, case .two(let inner, let outer) = second.content {
            if inner.height > outer.height, case .two(let left, let right) = inner.content {
                return FilterList(FilterList(first, left), FilterList(right, outer))
            }
            return FilterList(FilterList(first, inner), outer)
        }
        if first.height > second.height + 1, case .two(let outer, let inner) = first.content {
            if inner.height > outer.height, case .two(let left, let right) = inner.content {
                return FilterList(FilterList(outer, left), FilterList(right, second))
            }
            return FilterList(outer, FilterList(inner, second))
        }
        return FilterList(first, second)
    }

    /// Returns whether `test` returns `true` for all filters.
    ///
    /// The method stops at the first filter for which `test` returns `false`.
    func allSatisfy(_ test: (Filter<T>) throws -> Bool) rethrows -> Bool {
        switch content {
        case .one(let filter): try test(filter)
        case .two(let first, let second): try first.allSatisfy(test) && second.allSatisfy(test)
        }
    }

    func forEach(_ body: (Filter<T>) throws -> Void) rethrows {
        switch content {
        case .one(let filter): try body(filter)
        case .two(let first, let second):
            try first.forEach(body)
            try second.forEach(body)
        }
    }
}
#endif
