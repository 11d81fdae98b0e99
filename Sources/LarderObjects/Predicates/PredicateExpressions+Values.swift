#if Objects
internal import Foundation

extension PredicateExpressions.Variable: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        guard let fragment = translator.variables[key] else {
            throw SQLTranslator.unsupported("a variable of another predicate", "Combine filters with && and ||")
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
            return .value(try translator.subquery(base, select: "count(*)", where: nil))
        case (.objects, .collectionIsEmpty?):
            return .condition(.not(try translator.existence(base)))
        case (.value(let value), .collectionCount?) where value.attribute?.format.name ?? "string" == "string":
            return .value(SQLValue("larder_count(\(value.sql))", of: value))
        case (.value(let value), .collectionIsEmpty?) where value.attribute?.format.name ?? "string" == "string":
            return .condition(SQLCondition.sql("(\(value.sql) = '')", rows: value.rows).about(value))
        case (.value(let value), _):
            if let attribute = value.attribute, try isRawValue(keyPath, attribute) { return .value(value) }
        default: break
        }
        throw SQLTranslator.unsupported(
            "the key path \(keyPath)",
            "Use stored properties, count or isEmpty. For rawValue, make the enum CaseIterable, or compare the enum itself"
        )
    }

    /// Returns whether a key path refers to the raw value that the attribute stores.
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
    /// Translates a key path whose root type is known only at run time.
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
    mutating func arithmetic(
        _ lhs: some PredicateExpression,
        _ rhs: some PredicateExpression,
        _ sql: (_ first: String, _ second: String) -> String
    ) throws -> Fragment {
        let first = try fragment(lhs)
        let second = try fragment(rhs)
        let (a, b) = (try number(first, beside: second), try number(second, beside: first))
        return .value(SQLValue(sql(a.sql, b.sql), of: a, b))
    }
}

extension PredicateExpressions.OptionalFlatMap: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let base = try translator.fragment(wrapped)
        translator.variables[variable.key] = base
        let result = try translator.fragment(transform)
        let present: SQLValue
        switch base {
        case .object(let source): present = source.keyValue
        case .value(let value): present = value
        case .condition(let condition): present = condition.value
        case .null: return .null
        default: return result
        }
        switch result {
        case .object: return result
        case .value(let value):
            // If the row is missing, its column is already NULL.
            if value.fallback == nil, !present.rows.isEmpty, present.rows.isSubset(of: value.rows) { return result }
            return .value(Self.optional(value.sql, value, present))
        case .condition(let condition): return .optionalCondition(condition, present: .present(present))
        case .optionalCondition(let condition, let inner):
            return .optionalCondition(condition, present: .all([.present(present), inner]))
        case .constant(let constant):
            let sql = translator.bind(try SQLTranslator.stored(constant, as: nil))
            return .value(Self.optional(sql, nil, present))
        default: return result
        }
    }

    /// Returns an expression that evaluates to `sql`, or to NULL if `present` is NULL.
    private static func optional(_ sql: String, _ value: SQLValue?, _ present: SQLValue) -> SQLValue {
        var optional = SQLValue("(CASE WHEN \(present.sql) IS NOT NULL THEN \(sql) END)", value?.attribute)
        optional.rows = present.rows.union(value?.rows ?? [])
        optional.unwrapped = present.unwrapped + (value?.unwrapped ?? [])
        return optional
    }
}

extension PredicateExpressions.ForcedUnwrap: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        switch try translator.fragment(inner) {
        case .value(var value):
            if value.constant == nil { value.unwrapped.append(value) }
            return .value(value)
        case .object(var source):
            source.unwrapped.append(source.keyValue)
            return .object(source)
        case .optionalCondition(let condition, let present):
            let value = try translator.value(of: .optionalCondition(condition, present: present))
            return .condition(.unwrapped([value], condition))
        case let fragment: return fragment
        }
    }
}

extension PredicateExpressions.NilCoalesce: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.fragment(lhs)
        let second = try translator.fragment(rhs)
        if case .null = first { return second }
        if case .optionalCondition(let condition, let present) = first, let other = try? translator.condition(second) {
            if case .constant(let value) = other {
                return .condition(value ? .any([.not(present), condition]) : .all([present, condition]))
            }
            return .condition(.any([.all([present, condition]), .all([.not(present), other])]))
        }
        let (a, b) = try translator.operands(first, second)
        var value = SQLValue("coalesce(\(a.sql), \(b.sql))", a.attribute, rows: a.rows.intersection(b.rows))
        value.unwrapped = a.unwrapped + b.unwrapped
        if let constant = b.constant, !constant.isNull, a.constant == nil {
            value.fallback = .init(sql: a.sql, rows: a.rows, value: constant)
            value.column = a.column
        }
        return .value(value)
    }
}

extension PredicateExpressions.Conditional: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let test = try translator.condition(test)
        let first = try translator.fragment(trueBranch)
        let second = try translator.fragment(falseBranch)
        if Output.self == Bool.self {
            let (a, b) = (try translator.condition(first), try translator.condition(second))
            return .condition(.any([.all([test, a]), .all([.not(test), b])]))
        }
        let (a, b) = try translator.operands(first, second)
        var value = SQLValue("(CASE WHEN \(test.whenTrue.sql) THEN \(a.sql) ELSE \(b.sql) END)")
        value.attribute = a.attribute ?? b.attribute
        value.unwrapped = a.unwrapped + b.unwrapped
        return .value(value)
    }
}

extension PredicateExpressions.Arithmetic: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        switch op {
        case .add: return try translator.arithmetic(lhs, rhs) { "(\($0) + \($1))" }
        case .subtract: return try translator.arithmetic(lhs, rhs) { "(\($0) - \($1))" }
        case .multiply: return try translator.arithmetic(lhs, rhs) { "(\($0) * \($1))" }
        @unknown default: throw SQLTranslator.unsupported("an unknown arithmetic operator", "Use +, - or *")
        }
    }
}

extension PredicateExpressions.UnaryMinus: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let value = try translator.fragment(wrapped)
        let number = try translator.number(value, beside: .null)
        return .value(SQLValue("(-\(number.sql))", of: number))
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
