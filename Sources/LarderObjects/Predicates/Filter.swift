#if Objects
public import Foundation

/// Which objects: a `#Predicate`, an expression of key paths such as `\Order.total > 10 && \Order.status == .paid`, or both.
///
/// A filter means the same in the database and in memory, where it decides about objects that are not saved.
///
/// `&&` and `||` join up to 100,000 conditions: chains of 10,000 are one flat list. Nesting is limited: an alternation of `&&` and
/// `||` counts as one level, ``any(_:_:)``, ``all(_:_:)`` and ``count(_:where:in:)`` as ten, and a filter has at most 60 levels. A
/// `#Predicate` nests at most 200 expressions, and a query takes at most 32,766 constants (a list of integers counts as one). A
/// query beyond a limit throws ``ObjectError`` of code `unsupportedQuery`, which names the limit.
public struct Filter<T: Object>: Sendable {
    /// What a filter is made of.
    indirect enum Content: Sendable {
        case one(
            matches: @Sendable (T) throws -> Bool,
            condition: @Sendable (inout SQLTranslator, SQLTranslator.Source) throws -> SQLCondition
        )
        case all(FilterList<T>)
        case any(FilterList<T>)
        case not(Filter)
        /// Stands for a filter that nests too deep, none of which is kept.
        case tooDeep
        /// Stands for a filter of too many conditions, none of which is kept.
        case tooLarge
    }

    let content: Content
    /// How many levels of conditions nest in the filter.
    let nesting: Int
    /// How many conditions it has; a filter that is joined with itself has each of them twice.
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

    /// The objects of a predicate.
    ///
    /// A predicate that unwraps a missing value by force does not match.
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
            condition: { translator, source in
                translator.variables[predicate.variable.key] = .object(source)
                return .settled(try translator.condition(predicate.expression))
            }
        )
    }

    /// Returns whether an object is one of them.
    ///
    /// - Parameter object: The object.
    /// - Returns: Whether it is.
    /// - Throws: What evaluating a predicate throws, or ``ObjectError`` of code `unsupportedQuery` if the filter nests too deep.
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

    /// The filter as a condition about the row of a query.
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

/// How large a query may be.
enum FilterLimits {
    /// Levels of `&&` and `||` within each other.
    static let nesting = 60
    /// For how many levels a condition about related objects counts.
    static let related = 10
    /// Expressions of a `#Predicate` within each other.
    static let expressions = 200
    /// Conditions of a filter.
    static let conditions = 100_000
    /// Constants of a query: what SQLite takes unless it is built otherwise.
    static let constants = 32_766

    static var tooLarge: ObjectError {
        SQLTranslator.unsupported(
            "a filter of more than \(conditions) conditions",
            "put the values into one list with in, or divide the query"
        )
    }

    static var tooDeep: ObjectError {
        SQLTranslator.unsupported(
            "a filter that nests more than \(nesting) levels deep",
            "join filters in flat chains of && and ||, which may be as long as you like"
        )
    }
}

extension Filter {
    /// The objects that match both filters.
    ///
    /// - Parameters:
    ///   - first: A filter.
    ///   - second: Another.
    /// - Returns: A filter.
    public static func && (first: Filter, second: Filter) -> Filter {
        let nesting = 1 + max(first.nestingInAll, second.nestingInAll)
        return Filter(
            .all(.joined(first.listOfAll, second.listOfAll)),
            nesting: nesting,
            size: first.size + second.size
        )
    }

    /// The objects that match either filter.
    ///
    /// - Parameters:
    ///   - first: A filter.
    ///   - second: Another.
    /// - Returns: A filter.
    public static func || (first: Filter, second: Filter) -> Filter {
        let nesting = 1 + max(first.nestingInAny, second.nestingInAny)
        return Filter(
            .any(.joined(first.listOfAny, second.listOfAny)),
            nesting: nesting,
            size: first.size + second.size
        )
    }

    /// The objects that do not match a filter.
    ///
    /// - Parameter filter: A filter.
    /// - Returns: A filter.
    public static prefix func ! (filter: Filter) -> Filter {
        if case .not(let original) = filter.content { return original }
        return Filter(.not(filter), nesting: filter.nesting, size: filter.size)
    }

    private var listOfAll: FilterList<T> { if case .all(let list) = content { list } else { FilterList(self) } }
    private var listOfAny: FilterList<T> { if case .any(let list) = content { list } else { FilterList(self) } }
    /// The levels it has as a member of a list.
    private var nestingInAll: Int { if case .all = content { nesting - 1 } else { nesting } }
    private var nestingInAny: Int { if case .any = content { nesting - 1 } else { nesting } }
}
#endif
