#if Objects
public import Foundation

extension String {
    /// What two texts share that differ only in case and accents, by rules that are the same everywhere.
    var searchFolded: String {
        folding(options: [.caseInsensitive, .diacriticInsensitive], locale: Locale(identifier: "en_US_POSIX")).composed
    }

    /// Whether another text is part of this one but for case and accents.
    func containsFolded(_ part: String) -> Bool {
        let part = part.searchFolded
        return part.isEmpty ? false : searchFolded.containsCharacters(of: part)
    }
}

extension ColumnValue {
    /// What the column beside a searchable attribute holds.
    var searchFolded: ColumnValue {
        if case .text(let text) = self { .text(text.searchFolded) } else { .null }
    }
}

extension SQLTranslator {
    /// Whether a string contains another, ignoring case and accents; the folded column is searched if there is one.
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
            try translator.containsFolded(try translator.keyPath(keyPath, of: source), .constant(part))
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
        return .condition(try translator.containsFolded(first, try translator.fragment(part)))
    }
}
#endif
#endif
