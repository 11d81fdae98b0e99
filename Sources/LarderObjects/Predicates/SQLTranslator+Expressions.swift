#if Objects
internal import Foundation

/// A `#Predicate` expression that can be translated into SQL.
protocol SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment
}

extension SQLTranslatable {
    fileprivate static func fragment(
        at place: UnsafeRawPointer,
        _ translator: inout SQLTranslator
    ) throws -> SQLTranslator.Fragment {
        // A cast would copy the expression with all of its operands at every level.
        try place.assumingMemoryBound(to: Self.self).pointee.fragment(&translator)
    }
}

extension SQLTranslator {
    mutating func fragment<Expression: PredicateExpression>(_ expression: Expression) throws -> Fragment {
        guard let type = Expression.self as? any SQLTranslatable.Type else {
            let name = String(describing: Expression.self).prefix { $0 != "<" }
            throw Self.unsupported("\(name)", "Rewrite this expression, or filter the fetched objects in memory")
        }
        // The limit also protects evaluation in memory, which needs as much stack as translation.
        guard depth < FilterLimits.expressions else {
            throw Self.unsupported(
                "a predicate that nests more than \(FilterLimits.expressions) expressions",
                "Create a Filter from each part, and combine the filters in chains of && and ||, which may have any length"
            )
        }
        depth += 1
        defer { depth -= 1 }
        return try withUnsafePointer(to: expression) { try type.fragment(at: $0, &self) }
    }

    /// Translates a Boolean expression into a condition.
    mutating func condition(_ expression: some PredicateExpression) throws -> SQLCondition {
        try condition(try fragment(expression))
    }

    func condition(_ fragment: Fragment) throws -> SQLCondition {
        switch fragment {
        case .condition(let condition): return condition
        case .optionalCondition(let condition, let present): return .all([present, condition])
        case .value(let value):
            guard value.attribute?.format.name ?? "bool" == "bool" else { break }
            return SQLCondition.sql(value.sql, rows: value.rows).about(value)
        case .constant(let value):
            if let value = value as? Bool { return .constant(value) }
        default: break
        }
        throw Self.unsupported("a condition that is not a Bool", "Compare the value with another value")
    }

    /// Translates the two operands of a comparison.
    ///
    /// Constants are encoded in the format of the attribute that they are compared with.
    mutating func operands(_ first: Fragment, _ second: Fragment) throws -> (SQLValue, SQLValue) {
        (try value(of: first, beside: second), try value(of: second, beside: first))
    }

    mutating func value(of fragment: Fragment, beside other: Fragment = .null) throws -> SQLValue {
        switch fragment {
        case .value(let value): return value
        case .condition(let condition): return condition.value
        case .optionalCondition(let condition, let present):
            let whenTrue = SQLFormula.all([present.whenTrue, condition.whenTrue])
            let whenFalse = SQLFormula.all([present.whenTrue, condition.whenFalse])
            return SQLValue("(CASE WHEN \(whenTrue.sql) THEN 1 WHEN \(whenFalse.sql) THEN 0 END)")
        case .null: return .null
        case .object(let source): return source.keyValue
        case .constant(let value):
            var attribute: AttributeDescription?
            if case .value(let found) = other { attribute = found.attribute }
            if case .object = other { attribute = .key }
            let stored = try Self.stored(value, as: attribute)
            return SQLValue(bind(stored), constant: stored)
        case .objects:
            throw Self.unsupported("a to-many relationship as a value", "Use contains(where:), isEmpty or count")
        case .range: throw Self.unsupported("a range as a value", "Use the range's contains")
        }
    }

    /// Encodes a constant for comparison with an attribute.
    static func stored(_ value: Any, as attribute: AttributeDescription?) throws -> ColumnValue {
        // Most constants have exactly the attribute's type, and a cast to a protocol is slow.
        if let attribute, attribute.format.name != "json", type(of: value) == attribute.valueType,
            let encoded = attribute.encode(value)
        {
            return encoded
        }
        if let optional = value as? any OptionalType {
            guard let wrapped = optional.wrappedValue else { return .null }
            return try stored(wrapped, as: attribute)
        }
        if let attribute, let encoded = attribute.encode(value) {
            guard attribute.format.name != "json" else {
                throw unsupported(
                    "a comparison of \(attribute.name), which is stored as JSON",
                    "Compare with nil, or declare the compared property as a separate attribute"
                )
            }
            return encoded
        }
        if let id = value as? ObjectID { return .integer(id.rowID) }
        if let value = value as? any ColumnConvertible {
            if let attribute, attribute.format.name != type(of: value).columnFormat.name,
                !(attribute.format.columnType == "INTEGER" && type(of: value).columnFormat.columnType == "INTEGER")
            {
                throw unsupported(
                    "a comparison of \(attribute.name) with a value of type \(type(of: value))",
                    "Convert the constant to the type of the attribute"
                )
            }
            return value.columnValue
        }
        if let raw = value as? any RawRepresentable { return try stored(raw.rawValue, as: nil) }
        throw unsupported("a constant of type \(type(of: value))", "Capture a property of the value in a constant")
    }

    /// Translates a test for equality, in which `nil` equals `nil`.
    mutating func equality(_ first: Fragment, _ second: Fragment) throws -> SQLCondition {
        for (constant, other) in [(first, second), (second, first)] {
            // NaN equals nothing, but SQLite stores it as NULL.
            if case .constant(let value) = constant, Self.isNotANumber(value) { return .constant(false) }
            if case .value(let value) = other, let attribute = value.attribute, attribute.format.name == "json" {
                guard Self.isNil(constant) else {
                    throw Self.unsupported(
                        "a comparison of \(attribute.name), which is stored as JSON",
                        "Compare with nil, or declare the compared property as a separate attribute"
                    )
                }
            }
            if case .optionalCondition(let condition, let present) = other {
                if Self.isNil(constant) { return .not(present) }
                if case .constant(let value) = constant, let value = value as? Bool {
                    return .all([present, value ? condition : .not(condition)])
                }
            }
        }
        let (a, b) = try operands(first, second)
        note(a, b)
        for (value, other) in [(a, b), (b, a)] {
            guard let inner = value.withoutFallback, let fallback = value.fallback?.value,
                let constant = other.constant, let comparison = fallback.compared(to: constant)
            else { continue }
            let plain = SQLCondition.equal(inner, other).about(inner, other)
            return comparison == 0 ? .any([SQLCondition.equal(inner, .null).about(inner), plain]) : plain
        }
        return SQLCondition.equal(a, b).about(a, b)
    }

    private static func isNil(_ fragment: Fragment) -> Bool {
        if case .null = fragment { return true }
        guard case .constant(let value) = fragment else { return false }
        return isPlain(type(of: value)) ? false : (value as? any OptionalType)?.isNil == true
    }

    static func isNotANumber(_ value: Any) -> Bool {
        if isPlain(type(of: value)) { return false }
        let value = (value as? any OptionalType)?.wrappedValue ?? value
        if let value = value as? Double { return value.isNaN }
        if let value = value as? Float { return value.isNaN }
        if let value = value as? Decimal { return value.isNaN }
        if let value = value as? Date { return value.timeIntervalSinceReferenceDate.isNaN }
        return false
    }

    /// Returns whether a type is known to have neither `nil` nor NaN values.
    ///
    /// The check is fast, but recognizes only the most common types.
    static func isPlain(_ type: Any.Type) -> Bool {
        type == String.self || type == Int64.self || type == Int.self || type == Bool.self || type == ObjectID.self
    }

    /// Translates a comparison such as `<`, which is false if an operand is `nil`.
    mutating func comparison(
        _ first: Fragment,
        _ order: SQLCondition.Order,
        _ second: Fragment
    ) throws -> SQLCondition {
        for fragment in [first, second] {
            if case .constant(let value) = fragment, Self.isNotANumber(value) { return .constant(false) }
            guard case .value(let value) = fragment, let attribute = value.attribute else { continue }
            let type = (attribute.valueType as? any OptionalType.Type)?.wrappedType ?? attribute.valueType
            guard type is any ColumnConvertible.Type else {
                throw Self.unsupported(
                    "an ordered comparison of \(attribute.name)",
                    "Compare rawValue, because SQL can sort only the raw value"
                )
            }
        }
        let (a, b) = try operands(first, second)
        note(a, b)
        if let inner = a.withoutFallback, let fallback = a.fallback?.value, let constant = b.constant,
            let comparison = fallback.compared(to: constant)
        {
            let plain = SQLCondition.ordered(inner, order, b).about(inner, b)
            return order.holds(comparison) ? .any([SQLCondition.equal(inner, .null).about(inner), plain]) : plain
        }
        return SQLCondition.ordered(a, order, b).about(a, b)
    }

    /// Records the columns that a comparison uses, as candidates for an index.
    mutating func note(_ values: SQLValue...) {
        for value in values { if let column = value.column { compared.append(column) } }
    }

    /// Translates a test of whether a list of constants contains a value.
    mutating func membership(_ element: Fragment, in values: [Any]) throws -> SQLCondition {
        let value = try self.value(of: element)
        note(value)
        var stored: [ColumnValue] = []
        var hasNull = false
        for element in values where !Self.isNotANumber(element) {
            let column = try Self.stored(element, as: value.attribute)
            if column.isNull { hasNull = true } else { stored.append(column) }
        }
        let list: String
        let integers = stored.compactMap(\.integerValue)
        if integers.count == stored.count {
            list = "SELECT value FROM json_each(\(bind(ObjectContext.list(integers))))"
        } else {
            guard stored.count <= 10_000 else {
                throw Self.unsupported(
                    "a list of \(stored.count) values",
                    "Split the list into lists of at most 10,000 values"
                )
            }
            list = stored.map { bind($0) }.joined(separator: ", ")
        }
        let isMember = SQLCondition.sql("(\(value.sql) IN (\(list)))", rows: value.rows)
        return (hasNull ? .any([.equal(value, .null), isMember]) : isMember).about(value)
    }

    /// Translates an aggregate function over related objects into a nested query.
    mutating func subquery(
        _ fragment: Fragment,
        select: String,
        where test: ((inout SQLTranslator, Source) throws -> SQLCondition)?
    ) throws -> SQLValue {
        try query(fragment, select: select, where: test).value
    }

    /// Translates a test of whether any related object matches a condition.
    mutating func existence(
        _ fragment: Fragment,
        where test: ((inout SQLTranslator, Source) throws -> SQLCondition)? = nil
    ) throws -> SQLCondition {
        let (value, rows) = try query(fragment, select: "1", where: test)
        return SQLCondition.certain("(EXISTS \(value.sql))", rows: rows).about(value)
    }

    private mutating func query(
        _ fragment: Fragment,
        select: String,
        where test: ((inout SQLTranslator, Source) throws -> SQLCondition)?
    ) throws -> (value: SQLValue, rows: Set<Int>) {
        guard case .objects(let members) = fragment else {
            throw Self.unsupported("a collection that is not a relationship", "Use a to-many relationship")
        }
        var (joins, rows, conditions) = ("", members.rows, members.conditions)
        if let test {
            let inner = try nested { translator in try test(&translator, members.source) }
            joins = inner.joins
            rows.formUnion(inner.rows)
            conditions.append(inner.sql)
        }
        let condition = conditions.joined(separator: " AND ")
        var value = SQLValue("(SELECT \(select) FROM \(members.from)\(joins) WHERE \(condition))")
        value.unwrapped = members.unwrapped
        return (value, rows)
    }

    /// Translates an operand of an arithmetic operation.
    mutating func number(_ fragment: Fragment, beside other: Fragment) throws -> SQLValue {
        for case .value(let value) in [fragment, other] {
            guard let attribute = value.attribute, Self.unsuitableForArithmetic.contains(attribute.format.name) else {
                continue
            }
            throw Self.unsupported(
                "arithmetic with \(attribute.name)",
                "Compute the constant operand in Swift, because SQL can't compute values of this type exactly"
            )
        }
        if case .constant(let value) = fragment, !(value is any BinaryInteger), !(value is Double), !(value is Float) {
            throw Self.unsupported("arithmetic with the type \(type(of: value))", "Compute the constant in Swift")
        }
        return try value(of: fragment, beside: other)
    }

    private static let unsuitableForArithmetic: Set<String> = [
        "decimal", "uint64", "json", "string", "data", "uuid", "url", "bool",
    ]
}
#endif
