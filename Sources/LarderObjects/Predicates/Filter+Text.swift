#if Objects
/// A key path that is written as a literal of properties, which holds nothing but which properties they are.
///
/// The compiler can't ask for that where `self` is a key path. One through a subscript, which could hold more, is refused
/// when it is turned into SQL.
package struct SendableKeyPath<Root, Value>: @unchecked Sendable {
    package let keyPath: any KeyPath<Root, Value> & Sendable
    package init(_ keyPath: KeyPath<Root, Value>) {
        self.keyPath = unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
    }
}

infix operator =~ : ComparisonPrecedence

extension String {
    /// What two texts share that differ only in the case of their letters.
    var caseFolded: String { lowercased().composed }

    /// Whether another text is part of this one, in whole characters, as `#Predicate` means it.
    ///
    /// Foundation's `contains` would find half a flag.
    func containsCharacters(of part: String) -> Bool {
        func contains<Elements: Collection>(_ whole: Elements, _ part: Elements) -> Bool
        where Elements.Element: Equatable {
            whole.contains(part)
        }
        return contains(self, part)
    }
}

/// A property that holds text, or may.
public protocol TextProperty: Sendable {
    /// The text, if there is one.
    var filterText: String? { get }
}
extension String: TextProperty {
    /// Itself.
    public var filterText: String? { self }
}
extension Optional: TextProperty where Wrapped == String {
    /// Itself.
    public var filterText: String? { self }
}

private func text<T: Object, Value: TextProperty>(
    _ keyPath: any KeyPath<T, Value> & Sendable,
    _ matches: @escaping @Sendable (String) -> Bool,
    _ sql: @escaping @Sendable (inout SQLTranslator, String) -> String
) -> Filter<T> {
    Filter(matches: { $0[keyPath: keyPath].filterText.map(matches) ?? false }) { translator, source in
        let text = try translator.value(of: try translator.keyPath(keyPath, of: source))
        return .sql(sql(&translator, text.sql), rows: text.rows)
    }
}

/// The objects whose text is the same but for the case of letters.
///
/// - Parameters:
///   - keyPath: The property.
///   - value: The text.
/// - Returns: A filter.
public func =~ <T: Object, Value: TextProperty>(keyPath: any KeyPath<T, Value> & Sendable, value: String) -> Filter<T> {
    let folded = value.caseFolded
    return text(keyPath, { $0.caseFolded == folded }) { translator, column in
        "(larder_fold(\(column)) = \(translator.bind(.text(folded))))"
    }
}

extension KeyPath where Root: Object, Value: TextProperty {
    /// The objects whose text contains another, in whole characters.
    ///
    /// - Parameter part: The other text.
    /// - Returns: A filter.
    public func contains(_ part: String) -> Filter<Root> {
        text(SendableKeyPath(self).keyPath, { $0.containsCharacters(of: part) }) { translator, column in
            SQLTranslator.contains(column, translator.bind(part.columnValue))
        }
    }

    /// The objects whose text begins with another, in whole characters.
    ///
    /// - Parameter prefix: The other text.
    /// - Returns: A filter.
    public func hasPrefix(_ prefix: String) -> Filter<Root> {
        text(SendableKeyPath(self).keyPath, { $0.starts(with: prefix) }) { translator, column in
            SQLTranslator.startsWith(column, translator.bind(prefix.columnValue))
        }
    }
}

extension KeyPath where Root: Object, Value: Equatable & Sendable {
    /// The objects whose property has one of many values.
    ///
    /// - Parameter values: The values.
    /// - Returns: A filter.
    public func `in`(_ values: [Value]) -> Filter<Root> {
        SendableKeyPath(self).keyPath === values
    }
}

/// The objects whose property has one of many values.
///
/// - Parameters:
///   - keyPath: The property.
///   - values: The values.
/// - Returns: A filter.
public func === <T: Object, Value: Equatable & Sendable>(
    keyPath: any KeyPath<T, Value> & Sendable,
    values: [Value]
) -> Filter<T> {
    Filter(matches: { values.contains($0[keyPath: keyPath]) }) { translator, source in
        let property = try translator.keyPath(keyPath, of: source)
        return try translator.membership(property, in: values.map { $0 as Any })
    }
}

extension KeyPath where Root: Object, Value: Comparable & Sendable {
    /// The objects whose property lies in a range, ends included.
    ///
    /// - Parameter range: The range.
    /// - Returns: A filter.
    public func between(_ range: ClosedRange<Value>) -> Filter<Root> {
        let keyPath = SendableKeyPath(self).keyPath
        return keyPath >= range.lowerBound && keyPath <= range.upperBound
    }
}

extension Filter {
    /// The objects of whose related objects any is one of a filter's.
    ///
    /// - Parameters:
    ///   - keyPath: A relationship to many.
    ///   - filter: Which related objects.
    /// - Returns: A filter.
    public static func any<Other: Object>(
        _ keyPath: any KeyPath<T, [Other]> & Sendable,
        _ filter: Filter<Other>
    ) -> Filter {
        Filter(
            nesting: filter.nesting + FilterLimits.related,
            matches: { try $0[keyPath: keyPath].contains(where: filter.evaluate) }
        ) { translator, source in
            try translator.existence(try translator.keyPath(keyPath, of: source)) { try filter.condition(&$0, $1) }
        }
    }

    /// The objects of whose related objects all are ones of a filter's; also those that have none.
    ///
    /// - Parameters:
    ///   - keyPath: A relationship to many.
    ///   - filter: Which related objects.
    /// - Returns: A filter.
    public static func all<Other: Object>(
        _ keyPath: any KeyPath<T, [Other]> & Sendable,
        _ filter: Filter<Other>
    ) -> Filter { !Filter.any(keyPath, !filter) }

    /// The objects that have a number of related objects in a range.
    ///
    /// - Parameters:
    ///   - keyPath: A relationship to many.
    ///   - filter: Which related objects to count; all without one.
    ///   - range: The range.
    /// - Returns: A filter.
    public static func count<Other: Object>(
        _ keyPath: any KeyPath<T, [Other]> & Sendable,
        where filter: Filter<Other>? = nil,
        in range: ClosedRange<Int>
    ) -> Filter {
        Filter(
            nesting: (filter?.nesting ?? 0) + FilterLimits.related,
            matches: { object in
                let others = object[keyPath: keyPath]
                guard let filter else { return range.contains(others.count) }
                return range.contains(try others.filter(filter.evaluate).count)
            }
        ) { translator, source in
            let objects = try translator.keyPath(keyPath, of: source)
            let query = try translator.subquery(
                objects,
                select: "count(*)",
                where: filter.map { filter in { try filter.condition(&$0, $1) } }
            )
            let lower = translator.bind(.integer(Int64(range.lowerBound)))
            let upper = translator.bind(.integer(Int64(range.upperBound)))
            return .certain("(\(query.sql) BETWEEN \(lower) AND \(upper))", rows: []).about(query)
        }
    }
}
#endif
