#if Objects
/// A key path that captures no values and is therefore safe to send to another thread.
///
/// The compiler can't verify the absence of captures if the key path's root type is `Self`. A key path with a subscript, which could
/// capture a value, is rejected when it is translated into SQL.
package struct SendableKeyPath<Root, Value>: @unchecked Sendable {
    package let keyPath: any KeyPath<Root, Value> & Sendable
    package init(_ keyPath: KeyPath<Root, Value>) {
        self.keyPath = unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
    }
}

infix operator =~ : ComparisonPrecedence

extension String {
    /// The lowercase form of the string, for case-insensitive comparison.
    var caseFolded: String { lowercased().composed }

    /// Returns whether the string contains `part` at character boundaries, as in a `#Predicate`.
    ///
    /// Foundation's `contains` would also match part of a character, such as half of a flag emoji.
    func containsCharacters(of part: String) -> Bool {
        func contains<Elements: Collection>(_ whole: Elements, _ part: Elements) -> Bool
        where Elements.Element: Equatable {
            whole.contains(part)
        }
        return contains(self, part)
    }
}

/// A type that string filters can compare: `String` or an optional `String`.
public protocol TextProperty: Sendable {
    /// The string that filters compare, or `nil` if there is none.
    var filterText: String? { get }
}
extension String: TextProperty {
    /// The string itself.
    public var filterText: String? { self }
}
extension Optional: TextProperty where Wrapped == String {
    /// The wrapped string, or `nil` if there is none.
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

/// Returns a filter that matches objects whose string equals a value, ignoring case.
///
/// - Parameters:
///   - keyPath: The key path of the string property.
///   - value: The string to compare with.
/// - Returns: The filter.
public func =~ <T: Object, Value: TextProperty>(keyPath: any KeyPath<T, Value> & Sendable, value: String) -> Filter<T> {
    let folded = value.caseFolded
    return text(keyPath, { $0.caseFolded == folded }) { translator, column in
        "(larder_fold(\(column)) = \(translator.bind(.text(folded))))"
    }
}

extension KeyPath where Root: Object, Value: TextProperty {
    /// Returns a filter that matches objects whose string contains `part` at character boundaries.
    ///
    /// - Parameter part: The string to search for.
    /// - Returns: The filter.
    public func contains(_ part: String) -> Filter<Root> {
        text(SendableKeyPath(self).keyPath, { $0.containsCharacters(of: part) }) { translator, column in
            SQLTranslator.contains(column, translator.bind(part.columnValue))
        }
    }

    /// Returns a filter that matches objects whose string starts with `prefix` at character boundaries.
    ///
    /// - Parameter prefix: The string with which a match must start.
    /// - Returns: The filter.
    public func hasPrefix(_ prefix: String) -> Filter<Root> {
        text(SendableKeyPath(self).keyPath, { $0.starts(with: prefix) }) { translator, column in
            SQLTranslator.startsWith(column, translator.bind(prefix.columnValue))
        }
    }
}

extension KeyPath where Root: Object, Value: Equatable & Sendable {
    /// Returns a filter that matches objects whose property equals one of several values.
    ///
    /// - Parameter values: The values to compare with.
    /// - Returns: The filter.
    public func `in`(_ values: [Value]) -> Filter<Root> {
        SendableKeyPath(self).keyPath === values
    }
}

/// Returns a filter that matches objects whose property equals one of several values.
///
/// - Parameters:
///   - keyPath: The key path of the property.
///   - values: The values to compare with.
/// - Returns: The filter.
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
    /// Returns a filter that matches objects whose property is in a closed range.
    ///
    /// - Parameter range: The range of the values that match.
    /// - Returns: The filter.
    public func between(_ range: ClosedRange<Value>) -> Filter<Root> {
        let keyPath = SendableKeyPath(self).keyPath
        return keyPath >= range.lowerBound && keyPath <= range.upperBound
    }
}

extension Filter {
    /// Returns a filter that matches objects with at least one related object that matches another filter.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a to-many relationship.
    ///   - filter: The filter for the related objects.
    /// - Returns: The filter.
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

    /// Returns a filter that matches objects whose related objects all match another filter.
    ///
    /// An object without related objects also matches.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a to-many relationship.
    ///   - filter: The filter for the related objects.
    /// - Returns: The filter.
    public static func all<Other: Object>(
        _ keyPath: any KeyPath<T, [Other]> & Sendable,
        _ filter: Filter<Other>
    ) -> Filter { !Filter.any(keyPath, !filter) }

    /// Returns a filter that matches objects whose number of related objects is in a range.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a to-many relationship.
    ///   - filter: The filter for the related objects to count, or `nil` to count all of them.
    ///   - range: The range of counts that match.
    /// - Returns: The filter.
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
