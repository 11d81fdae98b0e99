#if Objects
public import Foundation

/// A condition that selects objects.
///
/// A filter is a `#Predicate`, an expression with key paths such as `\Order.total > 10 && \Order.status == .paid`, or a combination of
/// both.
///
/// A filter matches the same objects whether SQLite or, for unsaved objects, Swift evaluates it.
///
/// A filter can contain at most 100,000 conditions and 60 levels of nesting. A chain of `&&` or of `||` is one level, regardless of its
/// length, and each alternation between the two operators adds a level. ``any(_:_:)``, ``all(_:_:)`` and ``count(_:where:in:)`` add ten
/// levels each. A `#Predicate` can nest at most 200 expressions. A query can contain at most 32,766 constants, where a list of integers is
/// one constant. A query that exceeds a limit throws ``ObjectError`` with code `unsupportedQuery`, which names the limit.
public struct Filter<T: Object>: Sendable {
    indirect enum Content: Sendable {
        case one(
            matches: @Sendable (T) throws -> Bool,
            condition: @Sendable (inout SQLTranslator, SQLTranslator.Source) throws -> SQLCondition
        )
        case all(FilterList<T>)
        case any(FilterList<T>)
        case not(Filter)
        /// A filter that exceeds the nesting limit.
        ///
        /// Evaluating or translating the filter throws an error.
        case tooDeep
        /// A filter that exceeds the maximum number of conditions.
        ///
        /// Evaluating or translating the filter throws an error.
        case tooLarge
    }

    let content: Content
    /// The nesting depth of the filter.
    let nesting: Int
    /// The number of conditions in the filter.
    ///
    /// If a filter is combined with itself, its conditions are counted twice.
    private let size: Int

    private init(_ content: Content, nesting: Int, size: Int) {
        let isTooDeep = nesting > FilterLimits.nesting
        let isTooLarge = size > FilterLimits.conditions
        self.content = isTooLarge ? .tooLarge : isTooDeep ? .tooDeep : content
        self.nesting = isTooDeep ? FilterLimits.nesting : nesting
        self.size = min(size, FilterLimits.conditions + 1)
    }

    init(
        nesting: Int = 0,
        matches: @escaping @Sendable (T) throws -> Bool,
        condition: @escaping @Sendable (inout SQLTranslator, SQLTranslator.Source) throws -> SQLCondition
    ) {
        self.init(.one(matches: matches, condition: condition), nesting: nesting, size: 1)
    }

    /// Creates a filter from a predicate.
    ///
    /// If the predicate force-unwraps `nil` for an object, that object does not match.
    ///
    /// - Parameter predicate: The predicate that objects must satisfy.
    public init(_ predicate: Predicate<T>) {
        self.init(
            matches: { object in
                do {
                    return try predicate.evaluate(object)
                } catch is PredicateError {
                    return false
                }
            },
            condition: { translator, source in
                translator.variables[predicate.variable.key] = .object(source)
                return .settled(try translator.condition(predicate.expression))
            }
        )
    }

    /// Returns whether an object matches the filter.
    ///
    /// - Parameter object: The object to check.
    /// - Returns: `true` if the object matches.
    /// - Throws: Any error that occurs while evaluating a predicate, or ``ObjectError`` with code `unsupportedQuery` if the filter exceeds
    ///   a limit.
    public func evaluate(_ object: T) throws -> Bool {
        switch content {
        case .one(let matches, _): try matches(object)
        case .all(let list): try list.allSatisfy { try $0.evaluate(object) }
        case .any(let list): try !list.allSatisfy { try !$0.evaluate(object) }
        case .not(let filter): try !filter.evaluate(object)
        case .tooDeep: throw FilterLimits.tooDeep
        case .tooLarge: throw FilterLimits.tooLarge
        }
    }

    /// Translates the filter into a SQL condition on the rows of a query.
    func condition(_ translator: inout SQLTranslator, _ source: SQLTranslator.Source) throws -> SQLCondition {
        switch content {
        case .one(_, let condition): return try condition(&translator, source)
        case .all(let list): return .all(try conditions(list, &translator, source))
        case .any(let list): return .any(try conditions(list, &translator, source))
        case .not(let filter): return .not(try filter.condition(&translator, source))
        case .tooDeep: throw FilterLimits.tooDeep
        case .tooLarge: throw FilterLimits.tooLarge
        }
    }

    private func conditions(
        _ list: FilterList<T>,
        _ translator: inout SQLTranslator,
        _ source: SQLTranslator.Source
    ) throws -> [SQLCondition] {
        var conditions: [SQLCondition] = []
        conditions.reserveCapacity(list.count)
        try list.forEach { conditions.append(try $0.condition(&translator, source)) }
        return conditions
    }
}

enum FilterLimits {
    /// The maximum number of nested levels of `&&` and `||`.
    static let nesting = 60
    /// The number of nesting levels that a condition on related objects adds.
    static let related = 10
    /// The maximum number of nested expressions in a `#Predicate`.
    static let expressions = 200
    /// The maximum number of conditions in a filter.
    static let conditions = 100_000
    /// The maximum number of constants in a query, equal to SQLite's default limit.
    static let constants = 32_766

    static var tooLarge: ObjectError {
        SQLTranslator.unsupported(
            "a filter with more than \(conditions) conditions",
            "Put the values into one list and use in, or split the query"
        )
    }

    static var tooDeep: ObjectError {
        SQLTranslator.unsupported(
            "a filter with more than \(nesting) levels of nesting",
            "Combine filters in flat chains of && and ||, which may have any length"
        )
    }
}

extension Filter {
    /// Returns a filter for objects that match both given filters.
    ///
    /// - Parameters:
    ///   - first: A filter.
    ///   - second: Another filter.
    /// - Returns: The combined filter.
    public static func && (first: Filter, second: Filter) -> Filter {
        let nesting = 1 + max(first.nestingInAll, second.nestingInAll)
        return Filter(
            .all(.joined(first.listOfAll, second.listOfAll)),
            nesting: nesting,
            size: first.size + second.size
        )
    }

    /// Returns a filter for objects that match at least one of the given filters.
    ///
    /// - Parameters:
    ///   - first: A filter.
    ///   - second: Another filter.
    /// - Returns: The combined filter.
    public static func || (first: Filter, second: Filter) -> Filter {
        let nesting = 1 + max(first.nestingInAny, second.nestingInAny)
        return Filter(
            .any(.joined(first.listOfAny, second.listOfAny)),
            nesting: nesting,
            size: first.size + second.size
        )
    }

    /// Returns the negation of a filter.
    ///
    /// - Parameter filter: The filter to negate.
    /// - Returns: A filter that matches the objects that `filter` doesn't match.
    public static prefix func ! (filter: Filter) -> Filter {
        if case .not(let original) = filter.content { return original }
        return Filter(.not(filter), nesting: filter.nesting, size: filter.size)
    }

    private var listOfAll: FilterList<T> { if case .all(let list) = content { list } else { FilterList(self) } }
    private var listOfAny: FilterList<T> { if case .any(let list) = content { list } else { FilterList(self) } }
    /// The nesting depth that this filter contributes to a chain of `&&`.
    private var nestingInAll: Int { if case .all = content { nesting - 1 } else { nesting } }
    private var nestingInAny: Int { if case .any = content { nesting - 1 } else { nesting } }
}
#endif
