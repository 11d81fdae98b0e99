#if Objects
internal import Foundation

extension PredicateExpressions.CollectionContainsCollection: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.fragment(base)
        let (text, part) = try translator.operands(first, try translator.fragment(other))
        let sql = SQLTranslator.contains(text.sql, part.sql)
        return .condition(SQLCondition.sql(sql, rows: text.rows.union(part.rows)).about(text, part))
    }
}

extension PredicateExpressions.SequenceStartsWith: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.fragment(base)
        let (text, start) = try translator.operands(first, try translator.fragment(prefix))
        let sql = SQLTranslator.startsWith(text.sql, start.sql)
        return .condition(SQLCondition.sql(sql, rows: text.rows.union(start.rows)).about(text, start))
    }
}

extension SQLTranslator {
    /// Returns a SQL expression that tests whether `text` contains `part` at character boundaries.
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
        case .value(let list):
            guard let attribute = list.attribute, attribute.format.name == "json" else { break }
            let type = (attribute.valueType as? any OptionalType.Type)?.wrappedType ?? attribute.valueType
            guard type == [String].self || type == [Int].self || type == [Int64].self || type == [Double].self else {
                break
            }
            let value = try translator.value(of: element)
            let sql = "(EXISTS (SELECT 1 FROM json_each(\(list.sql)) AS e WHERE e.value = \(value.sql)))"
            return .condition(SQLCondition.certain(sql, rows: list.rows.union(value.rows)).about(list, value))
        default: break
        }
        throw SQLTranslator.unsupported("contains on this collection", "Use contains(where:), or a list of constants")
    }
}

extension PredicateExpressions.SequenceContainsWhere: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let objects = try translator.fragment(sequence)
        let exists = try translator.existence(objects) { translator, source in
            translator.variables[variable.key] = .object(source)
            return try translator.condition(test)
        }
        return .condition(exists)
    }
}

extension PredicateExpressions.SequenceAllSatisfy: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let objects = try translator.fragment(sequence)
        let exists = try translator.existence(objects) { translator, source in
            translator.variables[variable.key] = .object(source)
            return .not(.settled(try translator.condition(test)))
        }
        return .condition(.not(exists))
    }
}

extension PredicateExpressions.Filter: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        guard case .objects(let members) = try translator.fragment(sequence) else {
            throw SQLTranslator.unsupported(
                "a filter of a collection that is not a relationship",
                "Use a to-many relationship"
            )
        }
        translator.variables[variable.key] = .object(members.source)
        let inner = try translator.nested { try $0.condition(filter) }
        return .objects(
            SQLTranslator.Members(
                from: members.from + inner.joins,
                source: members.source,
                conditions: members.conditions + [inner.sql],
                rows: members.rows.union(inner.rows),
                unwrapped: members.unwrapped
            )
        )
    }
}
#endif
