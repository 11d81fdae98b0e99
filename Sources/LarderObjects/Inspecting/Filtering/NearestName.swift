#if Objects
/// A search for the name that a person probably meant.
enum NearestName {
    /// The maximum length of compared names in Unicode scalars, which bounds the time of a comparison.
    private static let longest = 64

    /// Returns the name with the fewest typing mistakes, or `nil` if no name is similar.
    ///
    /// - Parameters:
    ///   - typed: The name that was typed.
    ///   - names: The existing names.
    /// - Returns: A name that differs by at most two fifths of the characters, without regard to case.
    static func of(_ typed: String, in names: some Sequence<String>) -> String? {
        let wanted = Array(typed.lowercased().unicodeScalars.prefix(longest))
        var best: (name: String, mistakes: Int)?
        for name in names {
            let known = Array(name.lowercased().unicodeScalars.prefix(longest))
            let allowed = max(1, max(wanted.count, known.count) * 2 / 5)
            guard abs(wanted.count - known.count) <= allowed else { continue }
            let mistakes = distance(wanted, known)
            guard mistakes <= allowed, mistakes < best?.mistakes ?? .max else { continue }
            best = (name, mistakes)
        }
        return best?.name
    }

    /// Returns the number of characters to insert, delete, replace or exchange with their neighbor.
    private static func distance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
        var (before, row) = ([Int](), Array(0...second.count))
        for (i, scalar) in first.enumerated() {
            var next = [i + 1]
            for (j, other) in second.enumerated() {
                var least = min(row[j] + (scalar == other ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, scalar == second[j - 1], first[i - 1] == other {
                    least = min(least, before[j - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[second.count]
    }
}
#endif
