#if Objects
internal import Foundation

extension PredicateExpressions.Equal: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.fragment(lhs)
        return .condition(try translator.equality(first, try translator.fragment(rhs)))
    }
}

extension PredicateExpressions.NotEqual: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.fragment(lhs)
        return .condition(.not(try translator.equality(first, try translator.fragment(rhs))))
    }
}

extension PredicateExpressions.Comparison: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.fragment(lhs)
        let order: SQLCondition.Order
        switch op {
        case .lessThan: order = .less
        case .lessThanOrEqual: order = .lessOrEqual
        case .greaterThan: order = .greater
        case .greaterThanOrEqual: order = .greaterOrEqual
        @unknown default: throw SQLTranslator.unsupported("an unknown comparison operator", "Use <, <=, > or >=")
        }
        return .condition(try translator.comparison(first, order, try translator.fragment(rhs)))
    }
}

extension PredicateExpressions.Conjunction: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.condition(lhs)
        return .condition(.both(first, try translator.condition(rhs)))
    }
}

extension PredicateExpressions.Disjunction: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.condition(lhs)
        return .condition(.either(first, try translator.condition(rhs)))
    }
}

extension PredicateExpressions.Negation: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        .condition(.not(try translator.condition(wrapped)))
    }
}

extension PredicateExpressions.Range: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        .range(.init(try translator.fragment(lower), try translator.fragment(upper)), isClosed: false)
    }
}

extension PredicateExpressions.ClosedRange: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        .range(.init(try translator.fragment(lower), try translator.fragment(upper)), isClosed: true)
    }
}

private protocol BoundedRange {
    var bounds: (lower: Any, upper: Any, isClosed: Bool) { get }
}
extension Range: BoundedRange {
    fileprivate var bounds: (lower: Any, upper: Any, isClosed: Bool) { (lowerBound, upperBound, false) }
}
extension ClosedRange: BoundedRange {
    fileprivate var bounds: (lower: Any, upper: Any, isClosed: Bool) { (lowerBound, upperBound, true) }
}

extension PredicateExpressions.RangeExpressionContains: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        var bounds = try translator.fragment(range)
        if case .constant(let value) = bounds, let known = (value as? any BoundedRange)?.bounds {
            bounds = .range(.init(.constant(known.lower), .constant(known.upper)), isClosed: known.isClosed)
        }
        guard case .range(let ends, let isClosed) = bounds else {
            throw SQLTranslator.unsupported("a range without two bounds", "Use a comparison")
        }
        let value = try translator.fragment(element)
        let lower = try translator.comparison(value, .greaterOrEqual, ends.lower)
        return .condition(
            .both(lower, try translator.comparison(value, isClosed ? .lessOrEqual : .less, ends.upper))
        )
    }
}
#endif
