extension Array {
    /// Returns the index of the first element that satisfies the predicate, or `count` if no element does.
    ///
    /// The array must be partitioned: no element that satisfies the predicate precedes one that does not. The search takes a logarithmic
    /// number of calls.
    package func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
