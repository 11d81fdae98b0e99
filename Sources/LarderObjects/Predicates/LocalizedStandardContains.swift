#if Objects
public import Foundation

extension String {
    /// The string with case and accents folded, independent of the locale.
    var searchFolded: String {
        folding(options: [.caseInsensitive, .diacriticInsensitive], locale: Locale(identifier: "en_US_POSIX")).composed
    }

    /// Returns whether the string contains `part`, ignoring case and accents.
    func containsFolded(_ part: String) -> Bool {
        let part = part.searchFolded
        return part.isEmpty ? false : searchFolded.containsCharacters(of: part)
    }
}

extension ColumnValue {
    /// The case- and accent-folded form of a string value, or NULL for other values.
    var searchFolded: ColumnValue {
        if case .text(let text) = self { .text(text.searchFolded) } else { .null }
    }
}

extension SQLTranslator {
    /// Translates a search that ignores case and accents into SQL.
    ///
    /// The condition uses the attribute's case-folded search column if the attribute has one.
    mutating func containsFolded(_ text: Fragment, _ part: Fragment) throws -> SQLCondition {
        if case .constant(let constant) = part, let part = constant as? String {
            let value = try self.value(of: text)
            if let folded = foldedColumns[value.sql] {
                let wanted = part.searchFolded
                if wanted.isEmpty { return SQLCondition.constant(false).about(value) }
                return SQLCondition.sql(Self.contains(folded, bind(.text(wanted))), rows: value.rows).about(value)
            }
        }
        let (value, wanted) = try operands(text, part)
        let rows = value.rows.union(wanted.rows)
        return SQLCondition.sql("larder_contains_folded(\(value.sql), \(wanted.sql))", rows: rows).about(value, wanted)
    }
}

extension KeyPath where Root: Object, Value: TextProperty {
    /// Returns a filter that matches objects whose string contains `part`, ignoring case and accents.
    ///
    /// Like `localizedStandardContains`, the filter matches nothing if `part` is empty.
    ///
    /// - Parameter part: The string to search for.
    /// - Returns: The filter.
    public func containsIgnoringCaseAndAccents(_ part: String) -> Filter<Root> {
        let keyPath = SendableKeyPath(self).keyPath
        return Filter(matches: { $0[keyPath: keyPath].filterText?.containsFolded(part) ?? false }) {
            translator,
            source in
            try translator.containsFolded(try translator.keyPath(keyPath, of: source), .constant(part))
        }
    }
}

// On platforms with Core Data, Foundation provides this expression.
#if !canImport(CoreData)
extension PredicateExpressions {
    /// The expression for `localizedStandardContains` in a `#Predicate`.
    ///
    /// Foundation provides this expression only on Apple platforms.
    public struct FoldedContains<Text: PredicateExpression, Part: PredicateExpression>: PredicateExpression
    where Text.Output == String, Part.Output == String {
        /// The type of the expression's result.
        public typealias Output = Bool
        let text: Text
        let part: Part

        /// Returns whether the first string contains the second, ignoring case and accents.
        ///
        /// - Parameter bindings: The objects that are bound to the predicate's variables.
        /// - Returns: `true` if the first string contains the second.
        /// - Throws: Any error that occurs while evaluating the operands.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            try text.evaluate(bindings).containsFolded(part.evaluate(bindings))
        }
    }

    // The macro requires this name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Creates the expression for `localizedStandardContains`.
    ///
    /// The `#Predicate` macro calls this method.
    ///
    /// - Parameters:
    ///   - text: The string to search in.
    ///   - part: The string to search for.
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
        return .condition(try translator.containsFolded(first, try translator.fragment(part)))
    }
}
#endif
#endif
