#if Objects
internal import Foundation

extension PredicateExpressions.Variable: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        guard let fragment = translator.variables[key] else {
            throw SQLTranslator.unsupported("a variable of another predicate", "combine filters with && and ||")
        }
        return fragment
    }
}

extension PredicateExpressions.Value: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        if SQLTranslator.isPlain(Output.self) { return .constant(value) }
        if let optional = value as? any OptionalType, optional.isNil { return .null }
        return .constant(value)
    }
}

extension PredicateExpressions.NilLiteral: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment { .null }
}

extension PredicateExpressions.KeyPath: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let base = try translator.fragment(root)
        switch (base, kind) {
        case (.object(let source), _):
            if let fragment = try translator.keyPath(erased: keyPath, root: Root.Output.self, of: source) {
                return fragment
            }
        case (.objects, .collectionCount?):
            return .value(try translator.subquery(base, select: "count(*)", where: nil), nil)
        case (.objects, .collectionIsEmpty?):
            return .condition("(NOT EXISTS \(try translator.subquery(base, select: "1", where: nil)))")
        case (.value(let sql, let attribute), .collectionCount?) where attribute?.format.name ?? "string" == "string":
            return .value("larder_count(\(sql))", nil)
        case (.value(let sql, let attribute), .collectionIsEmpty?) where attribute?.format.name ?? "string" == "string":
            return .condition("(\(sql) = '')")
        case (.value(let sql, let attribute?), _):
            if try isRawValue(keyPath, attribute) { return .value(sql, nil) }
        default: break
        }
        throw SQLTranslator.unsupported(
            "the key path \(keyPath)",
            "use stored properties, count or isEmpty; for rawValue, make the enum CaseIterable, or compare the enum itself"
        )
    }

    /// Whether the key path leads to the raw value, which is what is stored: it does so for every value of the type.
    ///
    /// A key path can't be asked what it is called, so the values must be known.
    private func isRawValue(_ keyPath: AnyKeyPath, _ attribute: AttributeDescription) throws -> Bool {
        guard let type = Root.Output.self as? any RawRepresentable.Type else { return false }
        func check<Value: RawRepresentable>(_ type: Value.Type) -> Bool {
            guard let keyPath = keyPath as? Swift.KeyPath<Value, Value.RawValue>,
                let cases = type as? any CaseIterable.Type,
                let values = Array(cases.allCases) as? [Value]
            else { return false }
            return values.allSatisfy { value in
                let raw = attribute.encode(value)
                return raw != nil && raw == (value[keyPath: keyPath] as? any ColumnConvertible)?.columnValue
            }
        }
        return check(type)
    }
}

extension SQLTranslator {
    /// The key path of a predicate, whose root is known to be an entity only here.
    mutating func keyPath(erased keyPath: AnyKeyPath, root: Any.Type, of source: Source) throws -> Fragment? {
        func open<Root: Object>(_ root: Root.Type, _ translator: inout SQLTranslator) throws -> Fragment? {
            guard let keyPath = keyPath as? PartialKeyPath<Root> else { return nil }
            return try translator.keyPath(keyPath, of: source)
        }
        guard let root = root as? any Object.Type else { return nil }
        return try open(root, &self)
    }
}

extension SQLTranslator {
    /// What SQL makes of two numbers.
    mutating func arithmetic(
        _ lhs: some PredicateExpression,
        _ rhs: some PredicateExpression,
        _ sql: (_ first: String, _ second: String) -> String
    ) throws -> Fragment {
        let first = try fragment(lhs)
        let second = try fragment(rhs)
        return .value(sql(try number(first, beside: second), try number(second, beside: first)), nil)
    }
}

extension PredicateExpressions.OptionalFlatMap: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let base = try translator.fragment(wrapped)
        translator.variables[variable.key] = base
        let result = try translator.fragment(transform)
        let present: String
        switch base {
        case .object(let source): present = source.key
        case .value(let sql, _), .condition(let sql): present = sql
        case .null: return .null
        default: return result
        }
        switch result {
        case .object: return result
        case .value(let sql, let attribute):
            // A column of a row that is missing is NULL already.
            if case .object(let source) = base, sql.hasPrefix(source.alias + ".") { return result }
            return .value("(CASE WHEN \(present) IS NOT NULL THEN \(sql) END)", attribute)
        case .condition(let sql): return .condition("(CASE WHEN \(present) IS NOT NULL THEN \(sql) END)")
        case .constant(let value):
            let sql = translator.bind(try SQLTranslator.stored(value, as: nil))
            return .value("(CASE WHEN \(present) IS NOT NULL THEN \(sql) END)", nil)
        default: return result
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment { try translator.fragment(inner) }
}

extension PredicateExpressions.NilCoalesce: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.fragment(lhs)
        let second = try translator.fragment(rhs)
        if case .null = first { return second }
        let (a, b) = try translator.operands(first, second)
        let sql = "coalesce(\(a), \(b))"
        if case .condition = first { return .condition(sql) }
        if case .value(_, let attribute) = first { return .value(sql, attribute) }
        return .value(sql, nil)
    }
}

extension PredicateExpressions.Conditional: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let test = try translator.condition(test)
        let first = try translator.fragment(trueBranch)
        let second = try translator.fragment(falseBranch)
        let (a, b) = try translator.operands(first, second)
        let sql = "(CASE WHEN \(test) THEN \(a) ELSE \(b) END)"
        for case .value(_, let attribute) in [first, second] { return .value(sql, attribute) }
        return Output.self == Bool.self ? .condition(sql) : .value(sql, nil)
    }
}

extension PredicateExpressions.Arithmetic: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        switch op {
        case .add: return try translator.arithmetic(lhs, rhs) { "(\($0) + \($1))" }
        case .subtract: return try translator.arithmetic(lhs, rhs) { "(\($0) - \($1))" }
        case .multiply: return try translator.arithmetic(lhs, rhs) { "(\($0) * \($1))" }
        @unknown default: throw SQLTranslator.unsupported("an arithmetic operator", "compute it in Swift")
        }
    }
}

extension PredicateExpressions.UnaryMinus: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let value = try translator.fragment(wrapped)
        return .value("(-\(try translator.number(value, beside: .null)))", nil)
    }
}

extension PredicateExpressions.IntDivision: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        try translator.arithmetic(lhs, rhs) { "(\($0) / \($1))" }
    }
}

extension PredicateExpressions.IntRemainder: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        try translator.arithmetic(lhs, rhs) { "(\($0) % \($1))" }
    }
}

extension PredicateExpressions.FloatDivision: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        try translator.arithmetic(lhs, rhs) { "larder_divide(\($0), \($1))" }
    }
}
#endif
