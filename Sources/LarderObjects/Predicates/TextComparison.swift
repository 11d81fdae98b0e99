#if Objects
public import Foundation

/// How two texts are compared, by Foundation in memory and in SQL.
enum TextComparisonRule: Int, Sendable, Codable {
    case ignoringCase, localized

    func compare(_ first: String, _ second: String) -> ComparisonResult {
        switch self {
        case .ignoringCase: first.caseInsensitiveCompare(second)
        case .localized: first.localizedCompare(second)
        }
    }
}

// Where there is Core Data, Foundation is the one of Apple platforms, which has this itself.
#if !canImport(CoreData)
extension PredicateExpressions {
    /// `caseInsensitiveCompare` and `localizedCompare` in a `#Predicate`, which Foundation has on Apple platforms alone.
    ///
    /// The macro takes no cases of enums: compare with a constant, as in `let same = ComparisonResult.orderedSame`.
    public struct TextComparison<First: PredicateExpression, Second: PredicateExpression>: PredicateExpression
    where First.Output == String, Second.Output == String {
        /// Which of the two comes first.
        public typealias Output = ComparisonResult
        let first: First
        let second: Second
        let rule: TextComparisonRule

        /// Which of the two comes first.
        ///
        /// - Parameter bindings: The objects of the predicate's variables.
        /// - Returns: What Foundation says of the two texts.
        /// - Throws: What evaluating the texts throws.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            rule.compare(try first.evaluate(bindings), try second.evaluate(bindings))
        }
    }

    // The macro has this name for it.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// What the macro calls for `caseInsensitiveCompare`.
    ///
    /// - Parameters:
    ///   - first: A text.
    ///   - second: Another.
    /// - Returns: The expression.
    public static func build_caseInsensitiveCompare<First, Second>(
        _ first: First,
        _ second: Second
    ) -> TextComparison<First, Second> { TextComparison(first: first, second: second, rule: .ignoringCase) }

    // The macro has this name for it.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// What the macro calls for `localizedCompare`; the order is that of the process's locale, in SQL too.
    ///
    /// - Parameters:
    ///   - first: A text.
    ///   - second: Another.
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
