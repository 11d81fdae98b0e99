#if Objects
internal import Foundation

/// A part of a `#Predicate` that has a meaning in SQL.
protocol SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment
}

extension SQLTranslatable {
    /// What the expression at a place means.
    ///
    /// Casting an expression would copy it, and with it all that it is made of, at every step down.
    fileprivate static func fragment(
        at place: UnsafeRawPointer,
        _ translator: inout SQLTranslator
    ) throws -> SQLTranslator.Fragment {
        try place.assumingMemoryBound(to: Self.self).pointee.fragment(&translator)
    }
}

extension SQLTranslator {
    mutating func fragment<Expression: PredicateExpression>(_ expression: Expression) throws -> Fragment {
        guard let type = Expression.self as? any SQLTranslatable.Type else {
            let name = String(describing: Expression.self).prefix { $0 != "<" }
            throw Self.unsupported("\(name)", "rewrite that part, or filter the fetched objects")
        }
        return try withUnsafePointer(to: expression) { try type.fragment(at: $0, &self) }
    }

    /// An expression as a condition, which is true, false or, where a value that is not there decides, NULL.
    mutating func condition(_ expression: some PredicateExpression) throws -> String {
        try condition(try fragment(expression))
    }

    mutating func condition(_ fragment: Fragment) throws -> String {
        switch fragment {
        case .condition(let sql): return sql
        case .value(let sql, let attribute):
            guard attribute?.format.name ?? "bool" == "bool" else { break }
            return sql
        case .constant(let value):
            if let value = value as? Bool { return value ? "1" : "0" }
        default: break
        }
        throw Self.unsupported("a condition that is no Bool", "compare the value with another")
    }

    /// Two values that meet in a comparison: a constant is stored as the attribute beside it stores its values.
    mutating func operands(_ first: Fragment, _ second: Fragment) throws -> (String, String) {
        (try operand(first, beside: second), try operand(second, beside: first))
    }

    mutating func operand(_ fragment: Fragment, beside other: Fragment) throws -> String {
        switch fragment {
        case .value(let sql, _), .condition(let sql): return sql
        case .null: return "NULL"
        case .object(let source): return source.key
        case .constant(let value):
            var attribute: AttributeDescription?
            if case .value(_, let found) = other { attribute = found }
            if case .object = other { attribute = .key }
            return bind(try Self.stored(value, as: attribute))
        case .objects:
            throw Self.unsupported("a relationship to many used as a value", "use contains(where:), isEmpty or count")
        case .range: throw Self.unsupported("a range used as a value", "use its contains")
        }
    }

    /// The stored form of a constant.
    static func stored(_ value: Any, as attribute: AttributeDescription?) throws -> ColumnValue {
        // Most constants are of exactly the attribute's type; a cast to a protocol takes as long as all the rest.
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
                    "compare a property of its own, or nil"
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
                    "convert the constant first"
                )
            }
            return value.columnValue
        }
        if let raw = value as? any RawRepresentable { return try stored(raw.rawValue, as: nil) }
        throw unsupported("a constant of type \(type(of: value))", "capture one of its properties in a constant")
    }

    /// Whether two values are equal, which is never NULL.
    mutating func equality(_ first: Fragment, _ second: Fragment, negated: Bool) throws -> String {
        for (constant, other) in [(first, second), (second, first)] {
            // NaN equals nothing, and SQLite would take it for NULL.
            if case .constant(let value) = constant, Self.isNotANumber(value) { return negated ? "1" : "0" }
            if case .value(_, let attribute?) = other, attribute.format.name == "json" {
                var isNil = false
                if case .null = constant { isNil = true }
                if case .constant(let value) = constant, (value as? any OptionalType)?.isNil == true { isNil = true }
                guard isNil else {
                    throw Self.unsupported(
                        "a comparison of \(attribute.name), which is stored as JSON",
                        "compare a property of its own, or nil"
                    )
                }
            }
        }
        let (a, b) = try operands(first, second)
        return "(\(a) \(negated ? "IS NOT" : "IS") \(b))"
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

    /// Whether values of a type are neither `nil` nor NaN; `false` where that is not known at a glance.
    static func isPlain(_ type: Any.Type) -> Bool {
        type == String.self || type == Int64.self || type == Int.self || type == Bool.self || type == ObjectID.self
    }

    /// A comparison by order.
    mutating func comparison(_ first: Fragment, _ sign: String, _ second: Fragment) throws -> String {
        for fragment in [first, second] {
            if case .constant(let value) = fragment, Self.isNotANumber(value) { return "0" }
            guard case .value(_, let attribute?) = fragment else { continue }
            let type = (attribute.valueType as? any OptionalType.Type)?.wrappedType ?? attribute.valueType
            guard type is any ColumnConvertible.Type else {
                throw Self.unsupported(
                    "the order of \(attribute.name)",
                    "SQL knows only the order of its raw value: compare rawValue"
                )
            }
        }
        let (a, b) = try operands(first, second)
        return "(\(a) \(sign) \(b))"
    }

    /// Whether a value is one of many, which is never NULL.
    mutating func membership(_ element: Fragment, in values: [Any]) throws -> String {
        let sql = try operand(element, beside: .null)
        var attribute: AttributeDescription?
        if case .value(_, let found) = element { attribute = found }
        if case .object = element { attribute = .key }
        var stored: [ColumnValue] = []
        var hasNull = false
        for value in values where !Self.isNotANumber(value) {
            let column = try Self.stored(value, as: attribute)
            if column.isNull { hasNull = true } else { stored.append(column) }
        }
        let list: String
        let integers = stored.compactMap(\.integerValue)
        if integers.count == stored.count {
            list = "SELECT value FROM json_each(\(bind(ObjectContext.list(integers))))"
        } else {
            guard stored.count <= 10_000 else {
                throw Self.unsupported("a list of \(stored.count) values", "split it into lists of 10,000")
            }
            list = stored.map { bind($0) }.joined(separator: ", ")
        }
        return hasNull ? "(\(sql) IS NULL OR \(sql) IN (\(list)))" : "(\(sql) IS NOT NULL AND \(sql) IN (\(list)))"
    }

    /// SQL that is run for each of the objects of a relationship.
    mutating func subquery(
        _ fragment: Fragment,
        select: String,
        where test: ((inout SQLTranslator, Source) throws -> String)?
    ) throws -> String {
        guard case .objects(let from, let source, let conditions) = fragment else {
            throw Self.unsupported("a collection that is no relationship", "use a relationship to many")
        }
        let (sql, joins) = try nested { translator in try test.map { try $0(&translator, source) } }
        let all = conditions + (sql.map { [$0] } ?? [])
        return "(SELECT \(select) FROM \(from)\(joins) WHERE \(all.joined(separator: " AND ")))"
    }

    /// An operand of arithmetic.
    mutating func number(_ fragment: Fragment, beside other: Fragment) throws -> String {
        for case .value(_, let attribute?) in [fragment, other]
        where Self.unsuitableForArithmetic.contains(attribute.format.name) {
            throw Self.unsupported(
                "arithmetic with \(attribute.name)",
                "SQL can't do it exactly: compute the constant side in Swift"
            )
        }
        if case .constant(let value) = fragment, !(value is any BinaryInteger), !(value is Double), !(value is Float) {
            throw Self.unsupported("arithmetic with a \(type(of: value))", "compute the constant side in Swift")
        }
        return try operand(fragment, beside: other)
    }

    private static let unsuitableForArithmetic: Set<String> = [
        "decimal", "uint64", "json", "string", "data", "uuid", "url", "bool",
    ]
}
#endif
