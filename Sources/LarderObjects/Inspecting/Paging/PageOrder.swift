#if Objects
internal import LarderCore

/// The order of a list of objects, which is total because the key is its last term.
///
/// A page begins after a position instead of an offset, so that SQLite finds any page in an index without reading those before it.
struct PageOrder {
    struct Term {
        /// The SQL of the value.
        let sql: String
        let isAscending: Bool
        /// The column that the value comes from, or `nil` if an index on a column does not help.
        let column: String?
    }

    /// The values and the key of the last object before a page.
    typealias Start = (values: [ColumnValue], key: Int64)

    let terms: [Term]
    /// The SQL of the key.
    let key: String

    /// Whether objects with equal values are in ascending order of their keys.
    let isKeyAscending: Bool

    /// Creates an order.
    ///
    /// - Parameters:
    ///   - terms: The values to sort by before the key.
    ///   - key: The SQL of the key.
    ///   - isKeyAscending: The direction of the keys. The default is that of the last term, so that SQLite can read an index on the term
    ///     from either end.
    init(_ terms: [Term], key: String, isKeyAscending: Bool? = nil) {
        self.terms = terms
        self.key = key
        self.isKeyAscending = isKeyAscending ?? terms.last?.isAscending ?? true
    }

    /// The terms of the `ORDER BY` clause.
    var sql: String {
        (terms.map { $0.sql + ($0.isAscending ? "" : " DESC") } + [key + (isKeyAscending ? "" : " DESC")])
            .joined(separator: ", ")
    }

    /// The parts of the list that are read one after another.
    ///
    /// SQLite sorts NULL before all other values. A search for the values after a position can use an index only if it does not have to
    /// find NULL as well.
    enum Part: CaseIterable {
        case everything, missing, present
    }

    /// Returns the parts of the list from a position on, in order.
    func parts(from position: PagePosition?) -> [Part] {
        guard let first = terms.first else { return [.everything] }
        guard let position else { return first.isAscending ? [.missing, .present] : [.present, .missing] }
        let isMissing = if case .null?? = position.values.first { true } else { false }
        if first.isAscending { return isMissing ? [.missing, .present] : [.present] }
        return isMissing ? [.missing] : [.present, .missing]
    }

    /// Returns the conditions for the objects of a part after a position.
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - position: The position if it is in this part, with all values known.
    ///   - bind: A closure that binds a value and returns its parameter.
    /// - Returns: The conditions, all of which must hold.
    func conditions(
        _ part: Part,
        after position: Start?,
        _ bind: (ColumnValue) -> String
    ) -> [String] {
        var conditions: [String] = []
        if let first = terms.first, part != .everything {
            conditions.append("\(first.sql) \(part == .missing ? "IS NULL" : "IS NOT NULL")")
        }
        guard let position else { return conditions }
        let parameters = position.values.map { $0.isNull ? "NULL" : bind($0) }
        let after = "\(key) \(isKeyAscending ? ">" : "<") \(bind(.integer(position.key)))"
        guard let first = terms.first else { return [after] }
        // This condition is redundant, but SQLite searches an index by it.
        if part == .present {
            conditions[0] = "\(first.sql) \(first.isAscending ? ">=" : "<=") \(parameters[0])"
        }
        // The condition is built from the last term to the first.
        var rest = after
        for (index, term) in terms.enumerated().reversed() {
            let (parameter, isNull) = (parameters[index], position.values[index].isNull)
            let isSame = isNull ? "\(term.sql) IS NULL" : "\(term.sql) = \(parameter)"
            rest = "(\(isSame) AND \(rest))"
            if let further = Self.further(term, parameter, isNull, mayBeNull: index > 0) { rest = "(\(further) OR \(rest))" }
        }
        return conditions + [rest]
    }

    /// Returns the condition that a value is strictly after another, or `nil` if none is.
    private static func further(_ term: Term, _ parameter: String, _ isNull: Bool, mayBeNull: Bool) -> String? {
        switch (term.isAscending, isNull) {
        case (true, true): mayBeNull ? "\(term.sql) IS NOT NULL" : nil
        case (true, false): "\(term.sql) > \(parameter)"
        case (false, true): nil
        case (false, false): mayBeNull ? "(\(term.sql) < \(parameter) OR \(term.sql) IS NULL)" : "\(term.sql) < \(parameter)"
        }
    }
}
#endif
