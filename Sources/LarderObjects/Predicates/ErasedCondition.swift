#if Objects
package import Foundation

/// A condition of whatever type, so that predicates can be put together while a program runs.
package struct ErasedCondition: StandardPredicateExpression {
    /// Whether it is true.
    package typealias Output = Bool
    private let wrapped: any StandardPredicateExpression<Bool>

    /// The condition.
    package init(_ wrapped: any StandardPredicateExpression<Bool>) { self.wrapped = wrapped }

    /// Always throws: what is erased can't be read back.
    package init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "An erased condition is not stored."))
    }

    /// Always throws.
    package func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            self,
            .init(codingPath: [], debugDescription: "An erased condition is not stored.")
        )
    }

    /// Whether it is true for the objects of the predicate's variables.
    package func evaluate(_ bindings: PredicateBindings) throws -> Bool { try wrapped.evaluate(bindings) }
}

extension ErasedCondition: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        .condition(try translator.condition(wrapped))
    }
}

extension SQLTranslator {
    fileprivate mutating func condition(_ expression: any StandardPredicateExpression<Bool>) throws -> SQLCondition {
        func open<Expression: PredicateExpression>(
            _ expression: Expression,
            _ translator: inout SQLTranslator
        ) throws -> SQLCondition { try translator.condition(try translator.fragment(expression)) }
        return try open(expression, &self)
    }
}
#endif
