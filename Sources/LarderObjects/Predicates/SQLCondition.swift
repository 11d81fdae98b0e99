#if Objects
/// A condition of a query, kept as a tree until it is known which parts stand under a negation.
///
/// Swift compares optionals with two truth values, SQL with three. A comparison therefore has one SQL form for "is true" and
/// another for "is false", and an index can serve the first: `a = ?` where `a IS ?` would also be needed to negate it.
indirect enum SQLCondition {
    case constant(Bool)
    /// Whether two values are equal; NULL equals NULL.
    case equal(SQLValue, SQLValue)
    /// Whether two values are in an order; false if one of them is NULL.
    case ordered(SQLValue, Order, SQLValue)
    /// SQL that is true, false or NULL, which means false; it is never true if one of the joined rows is missing.
    case sql(String, rows: Set<Int>)
    /// SQL that is true or false; it is never true if one of the joined rows is missing.
    case certain(String, rows: Set<Int>)
    case all([SQLCondition])
    case any([SQLCondition])
    case not(SQLCondition)
    /// A condition about values that were unwrapped by force: neither true nor false if one of them is NULL.
    case unwrapped([SQLValue], SQLCondition)
    /// A condition that is false wherever it is not true.
    case settled(SQLCondition)

    enum Order: String {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        /// The order that holds where this one does not.
        var opposite: Order {
            switch self {
            case .less: .greaterOrEqual
            case .lessOrEqual: .greater
            case .greater: .lessOrEqual
            case .greaterOrEqual: .less
            }
        }

        /// Whether the order holds for two values that compare as `comparison` says.
        func holds(_ comparison: Int) -> Bool {
            switch self {
            case .less: comparison < 0
            case .lessOrEqual: comparison <= 0
            case .greater: comparison > 0
            case .greaterOrEqual: comparison >= 0
            }
        }
    }

    /// Both conditions; chains of them are one list.
    static func both(_ first: SQLCondition, _ second: SQLCondition) -> SQLCondition {
        var list: [SQLCondition] = []
        for condition in [first, second] {
            if case .all(let conditions) = condition { list += conditions } else { list.append(condition) }
        }
        return .all(list)
    }

    /// Either condition; chains of them are one list.
    static func either(_ first: SQLCondition, _ second: SQLCondition) -> SQLCondition {
        var list: [SQLCondition] = []
        for condition in [first, second] {
            if case .any(let conditions) = condition { list += conditions } else { list.append(condition) }
        }
        return .any(list)
    }

    /// Whether a value is there.
    static func present(_ value: SQLValue) -> SQLCondition { .not(.equal(value, .null)) }

    /// The condition about values, some of which may have been unwrapped by force.
    func about(_ values: SQLValue...) -> SQLCondition {
        let unwrapped = values.flatMap(\.unwrapped)
        return unwrapped.isEmpty ? self : .unwrapped(unwrapped, self)
    }

    /// Whether the condition is always true or false.
    private var isCertain: Bool {
        switch self {
        case .constant, .equal, .ordered, .sql, .certain, .settled: true
        case .all(let list), .any(let list): list.allSatisfy(\.isCertain)
        case .not(let condition): condition.isCertain
        case .unwrapped: false
        }
    }
}

extension SQLCondition {
    /// What is true exactly where the condition is true.
    var whenTrue: SQLFormula { formula(true) }

    /// What is true exactly where the condition is false.
    var whenFalse: SQLFormula { formula(false) }

    /// What is true exactly where the condition has a truth value.
    ///
    /// It goes down with the conditions, on threads with small stacks too: the work is done in functions beside it.
    private func formula(_ truth: Bool) -> SQLFormula {
        switch self {
        case .not(let condition): condition.formula(!truth)
        case .all(let list): Self.formula(list, truth, isAll: true)
        case .any(let list): Self.formula(list, truth, isAll: false)
        case .settled(let condition): condition.settled(truth)
        default: truth ? testWhenTrue : testWhenFalse
        }
    }

    /// The formula of a list: true are all of "all" and none of "any".
    private static func formula(_ list: [SQLCondition], _ truth: Bool, isAll: Bool) -> SQLFormula {
        var formulas: [SQLFormula] = []
        formulas.reserveCapacity(list.count)
        for condition in list { formulas.append(condition.formula(truth)) }
        if isAll == truth { return .all(formulas) }
        return .any(list.contains { !$0.isCertain } ? inOrder(list, formulas) : formulas)
    }

    /// Alternatives of which some are neither true nor false.
    ///
    /// Swift evaluates them from left to right, and a failure to unwrap ends the evaluation.
    private static func inOrder(_ list: [SQLCondition], _ formulas: [SQLFormula]) -> [SQLFormula] {
        var defined: [SQLFormula] = []
        return zip(list, formulas).map { condition, formula in
            let alternative = defined.isEmpty ? formula : .all(defined + [formula])
            if !condition.isCertain { defined.append(condition.isDefined) }
            return alternative
        }
    }

    private func settled(_ truth: Bool) -> SQLFormula {
        if truth || isCertain { return formula(truth) }
        return .test("(NOT coalesce(\(whenTrue.sql), 0))", rows: [])
    }

    private var testWhenTrue: SQLFormula {
        switch self {
        case .constant(let value): return .test(value ? "1" : "0", rows: [])
        case .equal(let a, let b):
            guard a.isPresent || b.isPresent else { return .test("(\(a.sql) IS \(b.sql))", rows: []) }
            if a.isNull || b.isNull { return .test("0", rows: []) }
            return .test("(\(a.sql) = \(b.sql))", rows: a.rows.union(b.rows))
        case .ordered(let a, let order, let b):
            return .test("(\(a.sql) \(order.rawValue) \(b.sql))", rows: a.rows.union(b.rows))
        case .sql(let sql, let rows), .certain(let sql, let rows): return .test(sql, rows: rows)
        case .unwrapped(let values, let condition): return Self.given(values, condition.whenTrue)
        case .all, .any, .not, .settled: return formula(true)
        }
    }

    private var testWhenFalse: SQLFormula {
        switch self {
        case .constant(let value): return .test(value ? "0" : "1", rows: [])
        case .equal(let a, let b):
            let rows = b.isNull ? a.rows : a.isNull ? b.rows : []
            return .test("(\(a.sql) IS NOT \(b.sql))", rows: rows)
        case .ordered(let a, let order, let b) where a.isNeverNull && b.isNeverNull:
            return .test("(\(a.sql) \(order.opposite.rawValue) \(b.sql))", rows: [])
        case .ordered(let a, let order, let b):
            return .test("(NOT coalesce(\(a.sql) \(order.rawValue) \(b.sql), 0))", rows: [])
        case .sql(let sql, _): return .test("(NOT coalesce(\(sql), 0))", rows: [])
        case .certain(let sql, _): return .test("(NOT \(sql))", rows: [])
        case .unwrapped(let values, let condition): return Self.given(values, condition.whenFalse)
        case .all, .any, .not, .settled: return formula(false)
        }
    }

    /// A formula, and that the values it is about are there.
    private static func given(_ values: [SQLValue], _ formula: SQLFormula) -> SQLFormula {
        .all(values.map { SQLCondition.present($0).whenTrue } + [formula])
    }

    /// What is true exactly where the condition is true or false.
    private var isDefined: SQLFormula {
        if case .unwrapped(let values, let condition) = self, condition.isCertain {
            return .all(values.map { SQLCondition.present($0).whenTrue })
        }
        return .any([whenTrue, whenFalse])
    }

    /// The condition as a value: 1, 0, or NULL where it is neither true nor false.
    var value: SQLValue {
        if isCertain { return SQLValue("(CASE WHEN \(whenTrue.sql) THEN 1 ELSE 0 END)") }
        return SQLValue("(CASE WHEN \(whenTrue.sql) THEN 1 WHEN \(whenFalse.sql) THEN 0 END)")
    }
}
#endif
