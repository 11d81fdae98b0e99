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

    /// A part of the list.
    ///
    /// The parts are read one after another, so that SQLite finds the beginning of each in an index on the first term. SQLite sorts NULL
    /// before all other values.
    enum Part {
        /// All objects, if only the keys are sorted.
        case everything
        /// The objects whose first value is NULL.
        case missing
        /// The objects whose first value is not NULL.
        case present
        /// The objects with the same first value as that of the position.
        case same
        /// The objects whose first value comes after that of the position.
        case further
    }

    /// Returns the parts of the list from a position on, in order.
    func parts(from position: PagePosition?) -> [Part] {
        guard let first = terms.first else { return [.everything] }
        guard let position else { return first.isAscending ? [.missing, .present] : [.present, .missing] }
        if case .null?? = position.values.first { return first.isAscending ? [.missing, .present] : [.missing] }
        return first.isAscending ? [.same, .further] : [.same, .further, .missing]
    }

    /// Returns the conditions for the objects of a part after a position.
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - position: The position, or `nil` for a whole part.
    ///   - bind: A closure that binds a value and returns its parameter.
    /// - Returns: The conditions, all of which must hold.
    func conditions(_ part: Part, after position: Start?, _ bind: (ColumnValue) -> String) -> [String] {
        let first = terms.first?.sql ?? key
        var conditions: [String] = []
        switch part {
        case .everything: break
        case .missing: conditions.append("\(first) IS NULL")
        case .present: conditions.append("\(first) IS NOT NULL")
        case .same, .further:
            guard let term = terms.first, let value = position?.values.first else { return ["0"] }
            let comparison = part == .same ? "=" : term.isAscending ? ">" : "<"
            conditions.append("\(first) \(comparison) \(bind(value))")
        }
        guard let position, part != .further else { return conditions }
        return conditions + [rest(after: position, bind)]
    }

    /// Returns the condition that an object with the same first value comes after a position.
    private func rest(after position: Start, _ bind: (ColumnValue) -> String) -> String {
        // The condition is built from the last term to the second.
        var rest = "\(key) \(isKeyAscending ? ">" : "<") \(bind(.integer(position.key)))"
        for (term, value) in zip(terms, position.values).dropFirst().reversed() {
            let parameter = value.isNull ? "NULL" : bind(value)
            rest = "(\(term.sql) \(value.isNull ? "IS" : "=") \(parameter) AND \(rest))"
            let further: String? =
                switch (term.isAscending, value.isNull) {
                case (true, true): "\(term.sql) IS NOT NULL"
                case (true, false): "\(term.sql) > \(parameter)"
                case (false, true): nil
                case (false, false): "\(term.sql) < \(parameter) OR \(term.sql) IS NULL"
                }
            if let further { rest = "(\(further) OR \(rest))" }
        }
        return rest
    }
}
#endif
