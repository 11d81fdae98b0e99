#if Objects
public import Foundation

/// The Foundation method that compares two strings, both in memory and in SQL.
enum TextComparisonRule: Int, Sendable, Codable {
    case ignoringCase, localized

    func compare(_ first: String, _ second: String) -> ComparisonResult {
        switch self {
        case .ignoringCase: first.caseInsensitiveCompare(second)
        case .localized: first.localizedCompare(second)
        }
    }
}

// On platforms with Core Data, Foundation provides this expression.
#if !canImport(CoreData)
extension PredicateExpressions {
    /// The expression for `caseInsensitiveCompare` and `localizedCompare` in a `#Predicate`.
    ///
    /// Foundation provides this expression only on Apple platforms.
    ///
    /// The macro does not support enumeration cases. Compare the result with a constant, such as `let same = ComparisonResult.orderedSame`.
    public struct TextComparison<First: PredicateExpression, Second: PredicateExpression>: PredicateExpression
    where First.Output == String, Second.Output == String {
        /// The type of the expression's result.
        public typealias Output = ComparisonResult
        let first: First
        let second: Second
        let rule: TextComparisonRule

        /// Evaluates the operands and compares the resulting strings.
        ///
        /// - Parameter bindings: The objects that are bound to the predicate's variables.
        /// - Returns: The result of the comparison.
        /// - Throws: Any error that occurs while evaluating the operands.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            rule.compare(try first.evaluate(bindings), try second.evaluate(bindings))
        }
    }

    // The macro requires this name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Creates the expression for `caseInsensitiveCompare`.
    ///
    /// The `#Predicate` macro calls this method.
    ///
    /// - Parameters:
    ///   - first: A string.
    ///   - second: Another string.
    /// - Returns: The expression.
    public static func build_caseInsensitiveCompare<First, Second>(
        _ first: First,
        _ second: Second
    ) -> TextComparison<First, Second> { TextComparison(first: first, second: second, rule: .ignoringCase) }

    // The macro requires this name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Creates the expression for `localizedCompare`.
    ///
    /// The `#Predicate` macro calls this method. In SQL, the expression also uses the process's locale.
    ///
    /// - Parameters:
    ///   - first: A string.
    ///   - second: Another string.
    /// - Returns: The expression.
    public static func build_localizedCompare<First, Second>(
        _ first: First,
        _ second: Second
    ) -> TextComparison<First, Second> { TextComparison(first: first, second: second, rule: .localized) }
}

extension PredicateExpressions.TextComparison: Sendable where First: Sendable, Second: Sendable {}
extension PredicateExpressions.TextComparison: Codable where First: Codable, Second: Codable {}
extension PredicateExpressions.TextComparison: StandardPredicateExpression
where First: StandardPredicateExpression, Second: StandardPredicateExpression {}

extension PredicateExpressions.TextComparison: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let (first, second) = (try translator.fragment(first), try translator.fragment(second))
        let (a, b) = try translator.operands(first, second)
        return .value(SQLValue("larder_compare(\(a.sql), \(b.sql), \(rule.rawValue))", of: a, b))
    }
}
#endif
#endif
