#if Objects
internal import Foundation
internal import LarderObjects

/// A builder for a random predicate that selects objects of an entity.
///
/// The same seed produces the same predicate.
struct RandomPredicate {
    private var numbers: SeededGenerator
    /// The tokens of a readable form of the predicate, such as `total` and `< 5`, for failure messages.
    private(set) var words: [String] = []
    /// The number of closures, such as the closure of `contains(where:)`, that enclose the condition being built.
    private var closures = 0

    init(seed: UInt64) { numbers = SeededGenerator(seed: seed) }

    private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &numbers) }
    private mutating func say(_ word: String) { words.append(word) }

    mutating func filter<T: Object>(of type: T.Type) -> Filter<T> {
        Filter(Predicate<T> { variable in condition(variable, depth: 3) })
    }

    private mutating func condition<T: Object>(
        _ variable: PredicateExpressions.Variable<T>,
        depth: Int
    ) -> ErasedCondition {
        if depth == 0 || number(below: 3) == 0 { return leaf(variable, depth: depth) }
        switch number(below: 3) {
        case 0:
            say("(")
            let first = condition(variable, depth: depth - 1)
            say("&&")
            let second = condition(variable, depth: depth - 1)
            say(")")
            return ErasedCondition(PredicateExpressions.build_Conjunction(lhs: first, rhs: second))
        case 1:
            say("(")
            let first = condition(variable, depth: depth - 1)
            say("||")
            let second = condition(variable, depth: depth - 1)
            say(")")
            return ErasedCondition(PredicateExpressions.build_Disjunction(lhs: first, rhs: second))
        default:
            say("!")
            return ErasedCondition(PredicateExpressions.build_Negation(condition(variable, depth: depth - 1)))
        }
    }

    private mutating func nested<T: Object>(_ variable: PredicateExpressions.Variable<T>, depth: Int) -> ErasedCondition
    {
        closures += 1
        defer { closures -= 1 }
        return condition(variable, depth: depth)
    }

    private mutating func leaf<T: Object>(
        _ variable: PredicateExpressions.Variable<T>,
        depth: Int
    ) -> ErasedCondition {
        let description = T.entityDescription
        for _ in 0..<8 {
            let place = number(below: description.attributes.count + description.relationships.count)
            if place < description.attributes.count {
                if let found = compare(variable, description.attributes[place]) { return found }
            } else if depth > 0 {
                let relationship = description.relationships[place - description.attributes.count]
                if let found = follow(variable, relationship, relationship.destination, depth: depth) { return found }
            }
        }
        say("true")
        return ErasedCondition(PredicateExpressions.build_Arg(true))
    }

    // MARK: Attributes

    private mutating func compare<T: Object>(
        _ variable: PredicateExpressions.Variable<T>,
        _ attribute: AttributeDescription
    ) -> ErasedCondition? {
        let candidates = RandomObjects.values(attribute)
        guard !candidates.isEmpty else { return nil }
        let value = candidates[number(below: candidates.count)]
        say(attribute.name)
        if let found = text(variable, attribute, value) { return found }
        if let found = ordered(variable, attribute, value, Int.self) { return found }
        if let found = ordered(variable, attribute, value, Int64.self) { return found }
        if let found = ordered(variable, attribute, value, Int32.self) { return found }
        if let found = ordered(variable, attribute, value, UInt64.self) { return found }
        if let found = ordered(variable, attribute, value, UInt8.self) { return found }
        if let found = ordered(variable, attribute, value, Double.self) { return found }
        if let found = ordered(variable, attribute, value, Float.self) { return found }
        if let found = ordered(variable, attribute, value, Date.self) { return found }
        if let found = ordered(variable, attribute, value, Decimal.self) { return found }
        if let found = equal(variable, attribute, value, Bool.self) { return found }
        if let found = equal(variable, attribute, value, UUID.self) { return found }
        if let found = equal(variable, attribute, value, URL.self) { return found }
        if let found = equal(variable, attribute, value, Data.self) { return found }
        words.removeLast()
        return nil
    }

    private func path<T: Object, Value>(
        _ variable: PredicateExpressions.Variable<T>,
        _ attribute: AttributeDescription,
        _ type: Value.Type
    ) -> PredicateExpressions.KeyPath<PredicateExpressions.Variable<T>, Value>? {
        guard let keyPath = attribute.keyPath as? KeyPath<T, Value> else { return nil }
        return PredicateExpressions.build_KeyPath(root: variable, keyPath: SendableKeyPath(keyPath).keyPath)
    }

    private mutating func ordered<T: Object, Value: ColumnConvertible & Comparable & Codable & Sendable>(
        _ variable: PredicateExpressions.Variable<T>,
        _ attribute: AttributeDescription,
        _ column: ColumnValue,
        _ type: Value.Type
    ) -> ErasedCondition? {
        let constant = Value.fromColumn(column)
        if let path = path(variable, attribute, Value.self), let constant {
            guard number(below: 2) == 0 else { return equal(variable, attribute, column, type) }
            return compare(path, constant)
        }
        if let path = path(variable, attribute, Value?.self) {
            guard number(below: 2) == 0, let constant else { return equal(variable, attribute, column, type) }
            say("??")
            return compare(
                PredicateExpressions.build_NilCoalesce(
                    lhs: path,
                    rhs: PredicateExpressions.build_Arg(Value.placeholder)
                ),
                constant
            )
        }
        return nil
    }

    private mutating func compare<Left: StandardPredicateExpression, Value: Comparable & Codable & Sendable>(
        _ left: Left,
        _ constant: Value
    ) -> ErasedCondition where Left.Output == Value {
        let right = PredicateExpressions.build_Arg(constant)
        switch number(below: 4) {
        case 0:
            say("< \(constant)")
            return ErasedCondition(PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .lessThan))
        case 1:
            say("<= \(constant)")
            return ErasedCondition(PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .lessThanOrEqual))
        case 2:
            say("> \(constant)")
            return ErasedCondition(PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .greaterThan))
        default:
            say(">= \(constant)")
            return ErasedCondition(
                PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .greaterThanOrEqual)
            )
        }
    }

    private mutating func equal<T: Object, Value: ColumnConvertible & Equatable & Codable & Sendable>(
        _ variable: PredicateExpressions.Variable<T>,
        _ attribute: AttributeDescription,
        _ column: ColumnValue,
        _ type: Value.Type
    ) -> ErasedCondition? {
        let constant = Value.fromColumn(column)
        if let path = path(variable, attribute, Value.self), let constant { return equal(path, constant) }
        if let path = path(variable, attribute, Value?.self) { return equal(path, constant) }
        return nil
    }

    private mutating func equal<Left: StandardPredicateExpression, Value: Equatable & Codable & Sendable>(
        _ left: Left,
        _ constant: Value
    ) -> ErasedCondition where Left.Output == Value {
        let right = PredicateExpressions.build_Arg(constant)
        switch number(below: 3) {
        case 0:
            say("!= \(constant)")
            return ErasedCondition(PredicateExpressions.build_NotEqual(lhs: left, rhs: right))
        case 1:
            say("in [\(constant)]")
            return ErasedCondition(
                PredicateExpressions.build_contains(PredicateExpressions.build_Arg([constant]), left)
            )
        default:
            say("== \(constant)")
            return ErasedCondition(PredicateExpressions.build_Equal(lhs: left, rhs: right))
        }
    }

    private mutating func text<T: Object>(
        _ variable: PredicateExpressions.Variable<T>,
        _ attribute: AttributeDescription,
        _ column: ColumnValue
    ) -> ErasedCondition? {
        let constant = RandomObjects.texts[number(below: RandomObjects.texts.count)]
        if let path = path(variable, attribute, String.self) { return text(path, constant) }
        guard let path = path(variable, attribute, String?.self) else { return nil }
        switch number(below: 3) {
        case 0: return equal(path, number(below: 3) == 0 ? nil : constant)
        default:
            say("??")
            let other = PredicateExpressions.build_Arg("a")
            return text(PredicateExpressions.build_NilCoalesce(lhs: path, rhs: other), constant)
        }
    }

    private mutating func text<Left: StandardPredicateExpression>(
        _ left: Left,
        _ constant: String
    ) -> ErasedCondition where Left.Output == String {
        let right = PredicateExpressions.build_Arg(constant)
        switch number(below: 5) {
        case 0: return compare(left, constant)
        case 1:
            say("contains \(constant.debugDescription)")
            return ErasedCondition(PredicateExpressions.build_contains(left, right))
        case 2:
            say("starts with \(constant.debugDescription)")
            return ErasedCondition(PredicateExpressions.build_starts(left, with: right))
        case 3:
            say("contains, ignoring case and accents, \(constant.debugDescription)")
            return ErasedCondition(PredicateExpressions.build_localizedStandardContains(left, right))
        default: return equal(left, constant)
        }
    }

    // MARK: Relationships

    private mutating func follow<T: Object, Other: Object>(
        _ variable: PredicateExpressions.Variable<T>,
        _ relationship: RelationshipDescription,
        _ type: Other.Type,
        depth: Int
    ) -> ErasedCondition? {
        say(relationship.name)
        if let keyPath = relationship.keyPath as? KeyPath<T, [Other]> {
            let members = PredicateExpressions.build_KeyPath(root: variable, keyPath: SendableKeyPath(keyPath).keyPath)
            switch number(below: 4) {
            case 0:
                say("contains where {")
                defer { say("}") }
                return ErasedCondition(
                    PredicateExpressions.build_contains(members) { nested($0, depth: depth - 1) }
                )
            case 1:
                say("all satisfy {")
                defer { say("}") }
                return ErasedCondition(
                    PredicateExpressions.build_allSatisfy(members) { nested($0, depth: depth - 1) }
                )
            case 2:
                say("count")
                return compare(PredicateExpressions.build_KeyPath(root: members, keyPath: \.count), number(below: 4))
            default:
                say("filter {")
                let kept = PredicateExpressions.build_filter(members) { nested($0, depth: depth - 1) }
                say("} count")
                return compare(PredicateExpressions.build_KeyPath(root: kept, keyPath: \.count), number(below: 3))
            }
        }
        guard let keyPath = relationship.keyPath as? KeyPath<T, Other?> else {
            words.removeLast()
            return nil
        }
        let other = PredicateExpressions.build_KeyPath(root: variable, keyPath: SendableKeyPath(keyPath).keyPath)
        switch number(below: 3) {
        case 0:
            if let found = compareRelated(other, type) { return found }
        case 1:
            say("== nil")
            let isMissing = PredicateExpressions.build_Equal(lhs: other, rhs: PredicateExpressions.build_NilLiteral())
            return ErasedCondition(isMissing)
        default: break
        }
        say("?.{")
        let inner = PredicateExpressions.build_flatMap(other) { nested($0, depth: depth - 1) }
        let missing = number(below: 2) == 0
        say("} ?? \(missing)")
        return ErasedCondition(
            PredicateExpressions.build_NilCoalesce(lhs: inner, rhs: PredicateExpressions.build_Arg(missing))
        )
    }

    /// Builds a comparison with a property of an optional related object, such as `$0.customer?.name == "a"`.
    ///
    /// The comparison may use `!=`, `??` or `!`.
    private mutating func compareRelated<Root: StandardPredicateExpression, Other: Object>(
        _ other: PredicateExpressions.KeyPath<Root, Other?>,
        _ type: Other.Type
    ) -> ErasedCondition? {
        for attribute in Other.entityDescription.attributes.shuffled(using: &numbers) {
            let candidates = RandomObjects.values(attribute)
            guard !candidates.isEmpty else { continue }
            let value = candidates[number(below: candidates.count)]
            if let found = compareRelated(other, attribute, value, String.self) { return found }
            if let found = compareRelated(other, attribute, value, Int.self) { return found }
            if let found = compareRelated(other, attribute, value, Int64.self) { return found }
            if let found = compareRelated(other, attribute, value, Double.self) { return found }
            if let found = compareRelated(other, attribute, value, Date.self) { return found }
            if let found = compareRelated(other, attribute, value, Decimal.self) { return found }
        }
        return nil
    }

    private mutating func compareRelated<
        Root: StandardPredicateExpression,
        Other: Object,
        Value: ColumnConvertible & Comparable & Codable & Sendable
    >(
        _ other: PredicateExpressions.KeyPath<Root, Other?>,
        _ attribute: AttributeDescription,
        _ column: ColumnValue,
        _ type: Value.Type
    ) -> ErasedCondition? {
        guard let keyPath = attribute.keyPath as? KeyPath<Other, Value>, let constant = Value.fromColumn(column) else {
            return nil
        }
        let property = SendableKeyPath(keyPath).keyPath
        say("?.\(attribute.name)")
        let path = PredicateExpressions.build_flatMap(other) {
            PredicateExpressions.build_KeyPath(root: $0, keyPath: property)
        }
        // Force unwrapping is not used inside a closure, because the evaluation would depend on the order of the objects.
        switch number(below: closures == 0 ? 5 : 4) {
        case 0: return equal(path, Value?.none)
        case 1, 2: return equal(path, constant)
        case 3:
            say("??")
            let fallback = number(below: 2) == 0 ? constant : Value.placeholder
            let filled = PredicateExpressions.build_NilCoalesce(
                lhs: path,
                rhs: PredicateExpressions.build_Arg(fallback)
            )
            return number(below: 2) == 0 ? equal(filled, constant) : compare(filled, constant)
        default:
            say("!")
            let forced = PredicateExpressions.build_KeyPath(
                root: PredicateExpressions.build_ForcedUnwrap(other),
                keyPath: property
            )
            return number(below: 2) == 0 ? equal(forced, constant) : compare(forced, constant)
        }
    }
}
#endif
