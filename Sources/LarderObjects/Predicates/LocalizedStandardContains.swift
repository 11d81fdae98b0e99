#if Objects
public import Foundation

extension String {
    /// Whether another text is part of this one but for case and accents, by rules that are the same everywhere.
    func containsFolded(_ part: String) -> Bool {
        func folded(_ text: String) -> String {
            text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: Locale(identifier: "en_US_POSIX"))
        }
        let part = folded(part)
        return part.isEmpty ? false : folded(self).containsCharacters(of: part)
    }
}

extension KeyPath where Root: Object, Value: TextProperty {
    /// The objects whose text contains another, whatever the case and the accents of either.
    ///
    /// The empty text is found in none, as `localizedStandardContains` has it.
    ///
    /// - Parameter part: The other text.
    /// - Returns: A filter.
    public func containsIgnoringCaseAndAccents(_ part: String) -> Filter<Root> {
        let keyPath = SendableKeyPath(self).keyPath
        return Filter(matches: { $0[keyPath: keyPath].filterText?.containsFolded(part) ?? false }) {
            translator,
            source in
            let property = try translator.keyPath(keyPath, of: source)
            let column = try translator.operand(property, beside: .null)
            return "coalesce(larder_contains_folded(\(column), \(translator.bind(part.columnValue))), 0)"
        }
    }
}

// Where there is Core Data, Foundation is the one of Apple platforms, which has this itself.
#if !canImport(CoreData)
extension PredicateExpressions {
    /// `localizedStandardContains` in a `#Predicate`, which Foundation has on Apple platforms alone.
    public struct FoldedContains<Text: PredicateExpression, Part: PredicateExpression>: PredicateExpression
    where Text.Output == String, Part.Output == String {
        /// Whether it is part of it.
        public typealias Output = Bool
        let text: Text
        let part: Part

        /// Whether the text contains the part but for case and accents.
        ///
        /// - Parameter bindings: The objects of the predicate's variables.
        /// - Returns: Whether it does.
        /// - Throws: What evaluating the texts throws.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            try text.evaluate(bindings).containsFolded(part.evaluate(bindings))
        }
    }

    // The macro has this name for it.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// What the macro calls for `localizedStandardContains`.
    ///
    /// - Parameters:
    ///   - text: A text.
    ///   - part: Another.
    /// - Returns: The expression.
    public static func build_localizedStandardContains<Text, Part>(
        _ text: Text,
        _ part: Part
    ) -> FoldedContains<Text, Part> { FoldedContains(text: text, part: part) }
}

extension PredicateExpressions.FoldedContains: Sendable where Text: Sendable, Part: Sendable {}
extension PredicateExpressions.FoldedContains: Codable where Text: Codable, Part: Codable {}
extension PredicateExpressions.FoldedContains: StandardPredicateExpression
where Text: StandardPredicateExpression, Part: StandardPredicateExpression {}

extension PredicateExpressions.FoldedContains: SQLTranslatable {
    func fragment(_ translator: inout SQLTranslator) throws -> SQLTranslator.Fragment {
        let first = try translator.fragment(text)
        let (text, part) = try translator.operands(first, try translator.fragment(part))
        return .condition("larder_contains_folded(\(text), \(part))")
    }
}
#endif
#endif
