#if Objects
public import Foundation

/// Which objects: a `#Predicate`, an expression of key paths such as `\Order.total > 10 && \Order.status == .paid`, or both.
///
/// It means the same in the database and in memory, where it decides about objects that are not saved.
public struct Filter<T: Object>: Sendable {
    let matches: @Sendable (T) throws -> Bool
    let translate: @Sendable (inout SQLTranslator, SQLTranslator.Source) throws -> String

    init(
        matches: @escaping @Sendable (T) throws -> Bool,
        translate: @escaping @Sendable (inout SQLTranslator, SQLTranslator.Source) throws -> String
    ) {
        self.matches = matches
        self.translate = translate
    }

    /// The objects of a predicate.
    ///
    /// One that unwraps by force a value that is not there does not match.
    ///
    /// - Parameter predicate: The predicate.
    public init(_ predicate: Predicate<T>) {
        self.init(
            matches: { object in
                do {
                    return try predicate.evaluate(object)
                } catch is PredicateError {
                    return false
                }
            },
            translate: { translator, source in
                translator.variables[predicate.variable.key] = .object(source)
                return try translator.condition(predicate.expression)
            }
        )
    }

    /// Whether an object is one of them.
    ///
    /// - Parameter object: The object.
    /// - Returns: Whether it is.
    /// - Throws: What evaluating a predicate throws.
    public func evaluate(_ object: T) throws -> Bool { try matches(object) }
}
#endif
