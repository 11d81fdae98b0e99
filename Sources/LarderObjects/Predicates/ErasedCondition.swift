#if Objects
package import Foundation

/// A type-erased Boolean expression, for predicates that are built at run time.
package struct ErasedCondition: StandardPredicateExpression {
    package typealias Output = Bool
    private let wrapped: any StandardPredicateExpression<Bool>

    package init(_ wrapped: any StandardPredicateExpression<Bool>) { self.wrapped = wrapped }

    /// Always throws an error, because a type-erased condition can't be decoded.
    package init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(codingPath: [], debugDescription: "A type-erased condition can't be decoded.")
        )
    }

    /// Always throws an error, because a type-erased condition can't be encoded.
    package func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            self,
            .init(codingPath: [], debugDescription: "A type-erased condition can't be encoded.")
        )
    }

    /// Evaluates the condition for the objects that are bound to the predicate's variables.
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
