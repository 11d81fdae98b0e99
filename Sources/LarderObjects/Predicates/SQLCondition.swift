#if Objects
/// The condition of a SQL query, represented as a tree.
///
/// A SQL comparison has three results (true, false and NULL), while a comparison of Swift optionals has two. Therefore each comparison has
/// one SQL form that tests for true, and another that tests for false. The first form can use an index, because it is written as `a = ?`
/// instead of `a IS ?`.
indirect enum SQLCondition {
    case constant(Bool)
    /// The condition that two values are equal, where NULL equals NULL.
    case equal(SQLValue, SQLValue)
    /// A comparison of two values with an operator, which is false if either value is NULL.
    case ordered(SQLValue, Order, SQLValue)
    /// A SQL expression in which NULL means false.
    ///
    /// `rows` contains the identifiers of the joins whose rows must exist for the expression to be true.
    case sql(String, rows: Set<Int>)
    /// A SQL expression that is never NULL.
    ///
    /// `rows` contains the identifiers of the joins whose rows must exist for the expression to be true.
    case certain(String, rows: Set<Int>)
    case all([SQLCondition])
    case any([SQLCondition])
    case not(SQLCondition)
    /// A condition on force-unwrapped values, which is undefined if one of the values is NULL.
    case unwrapped([SQLValue], SQLCondition)
    /// The wrapped condition, with an undefined result treated as false.
    case settled(SQLCondition)

    enum Order: String {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        /// The negated operator, such as `>=` for `<`.
        var opposite: Order {
            switch self {
            case .less: .greaterOrEqual
            case .lessOrEqual: .greater
            case .greater: .lessOrEqual
            case .greaterOrEqual: .less
            }
        }

        /// Returns whether the result of a three-way comparison satisfies this operator.
        func holds(_ comparison: Int) -> Bool {
            switch self {
            case .less: comparison < 0
            case .lessOrEqual: comparison <= 0
            case .greater: comparison > 0
            case .greaterOrEqual: comparison >= 0
            }
        }
    }

    /// Returns the conjunction of two conditions.
    ///
    /// Nested conjunctions are flattened into one list.
    static func both(_ first: SQLCondition, _ second: SQLCondition) -> SQLCondition {
        var list: [SQLCondition] = []
        for condition in [first, second] {
            if case .all(let conditions) = condition { list += conditions } else { list.append(condition) }
        }
        return .all(list)
    }

    /// Returns the disjunction of two conditions.
    ///
    /// Nested disjunctions are flattened into one list.
    static func either(_ first: SQLCondition, _ second: SQLCondition) -> SQLCondition {
        var list: [SQLCondition] = []
        for condition in [first, second] {
            if case .any(let conditions) = condition { list += conditions } else { list.append(condition) }
        }
        return .any(list)
    }

    /// Returns the condition that a value is not NULL.
    static func present(_ value: SQLValue) -> SQLCondition { .not(.equal(value, .null)) }

    /// Returns this condition, marked as undefined if any force-unwrapped operand is NULL.
    func about(_ values: SQLValue...) -> SQLCondition {
        let unwrapped = values.flatMap(\.unwrapped)
        return unwrapped.isEmpty ? self : .unwrapped(unwrapped, self)
    }

    /// Whether the condition always evaluates to true or false, even if a value is NULL.
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
    /// The SQL formula that tests whether the condition is true.
    var whenTrue: SQLFormula { formula(true) }

    /// The SQL formula that tests whether the condition is false.
    var whenFalse: SQLFormula { formula(false) }

    private func formula(_ truth: Bool) -> SQLFormula {
        // This method is recursive and may run on a thread with a small stack, so all other work is in helper methods.
        switch self {
        case .not(let condition): condition.formula(!truth)
        case .all(let list): Self.formula(list, truth, isAll: true)
        case .any(let list): Self.formula(list, truth, isAll: false)
        case .settled(let condition): condition.settled(truth)
        default: truth ? testWhenTrue : testWhenFalse
        }
    }

    /// Returns the SQL formula that tests whether the conjunction or disjunction of `list` has the value `truth`.
    ///
    /// The list is a conjunction if `isAll` is `true`, otherwise a disjunction.
    private static func formula(_ list: [SQLCondition], _ truth: Bool, isAll: Bool) -> SQLFormula {
        var formulas: [SQLFormula] = []
        formulas.reserveCapacity(list.count)
        for condition in list { formulas.append(condition.formula(truth)) }
        if isAll == truth { return .all(formulas) }
        return .any(list.contains { !$0.isCertain } ? inOrder(list, formulas) : formulas)
    }

    /// Extends each alternative of a disjunction to require that all earlier alternatives are defined.
    ///
    /// This matches Swift, where a failed force-unwrap ends the evaluation.
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

    /// Returns a formula that is true if `formula` is true and no value is NULL.
    private static func given(_ values: [SQLValue], _ formula: SQLFormula) -> SQLFormula {
        .all(values.map { SQLCondition.present($0).whenTrue } + [formula])
    }

    /// The SQL formula that tests whether the condition is defined, which requires that no force-unwrapped value is NULL.
    private var isDefined: SQLFormula {
        if case .unwrapped(let values, let condition) = self, condition.isCertain {
            return .all(values.map { SQLCondition.present($0).whenTrue })
        }
        return .any([whenTrue, whenFalse])
    }

    /// The condition as a SQL value: 1 if true, 0 if false, or NULL if undefined.
    var value: SQLValue {
        if isCertain { return SQLValue("(CASE WHEN \(whenTrue.sql) THEN 1 ELSE 0 END)") }
        return SQLValue("(CASE WHEN \(whenTrue.sql) THEN 1 WHEN \(whenFalse.sql) THEN 0 END)")
    }
}
#endif
