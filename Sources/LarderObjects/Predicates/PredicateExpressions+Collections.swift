#if Objects
internal import Foundation

extension PredicateExpressions.CollectionContainsCollection: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.fragment(base)
        let (text, part) = try translator.operands(first, try translator.fragment(other))
        return .condition(SQLTranslator.contains(text, part))
    }
}

extension PredicateExpressions.SequenceStartsWith: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.fragment(base)
        let (text, start) = try translator.operands(first, try translator.fragment(prefix))
        return .condition(SQLTranslator.startsWith(text, start))
    }
}

extension SQLTranslator {
    /// SQLite finds the bytes; Swift then says whether they are whole characters.
    static func contains(_ text: String, _ part: String) -> String {
        "(instr(\(text), \(part)) > 0 AND larder_contains(\(text), \(part)))"
    }

    static func startsWith(_ text: String, _ start: String) -> String {
        "(instr(\(text), \(start)) = 1 AND larder_starts(\(text), \(start)))"
    }
}

extension PredicateExpressions.SequenceContains: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let values = try translator.fragment(sequence)
        let element = try translator.fragment(element)
        switch values {
        case .constant(let constant):
            guard let list = constant as? any Sequence else { break }
            return .condition(try translator.membership(element, in: list.map { $0 as Any }))
        case .value(let sql, let attribute?) where attribute.format.name == "json":
            let type = (attribute.valueType as? any OptionalType.Type)?.wrappedType ?? attribute.valueType
            guard type == [String].self || type == [Int].self || type == [Int64].self || type == [Double].self else {
                break
            }
            let value = try translator.operand(element, beside: .null)
            return .condition("(EXISTS (SELECT 1 FROM json_each(\(sql)) AS e WHERE e.value = \(value)))")
        default: break
        }
        throw SQLTranslator.unsupported("contains of this collection", "use contains(where:), or a list of constants")
    }
}

extension PredicateExpressions.SequenceContainsWhere: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let objects = try translator.fragment(sequence)
        let query = try translator.subquery(objects, select: "1") { translator, source in
            translator.variables[variable.key] = .object(source)
            return try translator.condition(test)
        }
        return .condition("(EXISTS \(query))")
    }
}

extension PredicateExpressions.SequenceAllSatisfy: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let objects = try translator.fragment(sequence)
        let query = try translator.subquery(objects, select: "1") { translator, source in
            translator.variables[variable.key] = .object(source)
            return "NOT coalesce(\(try translator.condition(test)), 0)"
        }
        return .condition("(NOT EXISTS \(query))")
    }
}

extension PredicateExpressions.Filter: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        guard case .objects(let from, let source, let conditions) = try translator.fragment(sequence) else {
            throw SQLTranslator.unsupported(
                "filter of a collection that is no relationship",
                "use a relationship to many"
            )
        }
        translator.variables[variable.key] = .object(source)
        let (test, joins) = try translator.nested { try $0.condition(filter) }
        return .objects(from: from + joins, source, conditions: conditions + [test])
    }
}
#endif
