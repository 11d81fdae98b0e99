#if Objects
/// A tree of SQL conditions joined only by AND and OR.
indirect enum SQLFormula {
    /// A SQL condition in which NULL means false.
    ///
    /// The condition is true only if each join with an identifier in `rows` finds a row.
    case test(String, rows: Set<Int>)
    case all([SQLFormula])
    case any([SQLFormula])

    /// The identifiers of the joins that must find a row for the formula to be true.
    var rows: Set<Int> {
        switch self {
        case .test(_, let rows): return rows
        case .all(let list): return list.reduce(into: []) { $0.formUnion($1.rows) }
        case .any(let list):
            guard var common = list.first?.rows else { return [] }
            for formula in list.dropFirst() where !common.isEmpty { common.formIntersection(formula.rows) }
            return common
        }
    }

    var sql: String {
        // SQLite limits the depth of expressions to 1,000 levels, and before version 3.46 its parser stack to 100 entries. Long lists are
        // therefore split into halves, and the deepest element of a list comes first, so that each level needs only one stack entry.
        var text = ""
        write(into: &text)
        return text
    }

    private func write(into text: inout String) {
        switch self {
        case .test(let sql, _): text += sql
        case .all(let list): Self.write(Self.ordered(list), " AND ", empty: "1", into: &text)
        case .any(let list): Self.write(Self.ordered(list), " OR ", empty: "0", into: &text)
        }
    }

    private static func write(
        _ list: ArraySlice<SQLFormula>,
        _ separator: String,
        empty: String,
        into text: inout String
    ) {
        if list.isEmpty { return text += empty }
        if list.count == 1 { return list[list.startIndex].write(into: &text) }
        text += "("
        if list.count > longestList {
            let middle = list.startIndex + list.count / 2
            write(list[..<middle], separator, empty: empty, into: &text)
            text += separator
            write(list[middle...], separator, empty: empty, into: &text)
        } else {
            for (place, formula) in list.enumerated() {
                if place > 0 { text += separator }
                formula.write(into: &text)
            }
        }
        text += ")"
    }

    private static let longestList = 32
    /// The nesting depth beyond which the operands of AND and OR are written in order of decreasing depth.
    private static let ordinaryDepth = 8

    private var depth: Int {
        switch self {
        case .test: 0
        case .all(let list), .any(let list): 1 + (list.lazy.map(\.depth).max() ?? 0)
        }
    }

    private static func ordered(_ list: [SQLFormula]) -> ArraySlice<SQLFormula> {
        let depths = list.map(\.depth)
        guard depths.contains(where: { $0 > ordinaryDepth }) else { return list[...] }
        return zip(list, depths).sorted { $0.1 > $1.1 }.map(\.0)[...]
    }
}
#endif
