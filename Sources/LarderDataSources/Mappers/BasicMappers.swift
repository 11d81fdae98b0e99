import LarderCore

/// A mapper that returns what it is given.
public struct IdentityMapper<T>: Mapper {
    /// The mapper.
    public init() {}
    /// The same value.
    public func map(_ from: T) -> T { from }
}

/// A mapper that is a closure.
public struct ClosureMapper<From, To>: Mapper {
    private let closure: @Sendable (From) throws -> To

    /// A mapper that calls a closure.
    ///
    /// - Parameter closure: Called once for each value.
    public init(_ closure: @escaping @Sendable (From) throws -> To) { self.closure = closure }

    /// What the closure returns.
    public func map(_ from: From) throws -> To { try closure(from) }
}

/// Two mappers as one.
public struct ComposedMapper<From, Middle, To>: Mapper {
    private let first: any Mapper<From, Middle>
    private let second: any Mapper<Middle, To>

    /// A mapper that maps with two others.
    ///
    /// - Parameters:
    ///   - first: Maps the value.
    ///   - second: Maps what the first one returns.
    public init(_ first: any Mapper<From, Middle>, _ second: any Mapper<Middle, To>) {
        self.first = first
        self.second = second
    }

    /// What the second mapper makes of what the first one made.
    public func map(_ from: From) throws -> To { try second.map(first.map(from)) }
}

/// A mapper that casts.
public struct CastMapper<From, To>: Mapper {
    /// The mapper.
    public init() {}

    /// The same value as another type.
    ///
    /// - Parameter from: The value.
    /// - Returns: It, cast.
    /// - Throws: `CoreError.Failed` when it is of another type.
    public func map(_ from: From) throws -> To {
        guard let to = from as? To else { throw CoreError.Failed("A \(type(of: from)) can't be cast to \(To.self).") }
        return to
    }
}

/// A mapper for a direction that is never taken.
public struct VoidMapper<From, To>: Mapper {
    /// The mapper.
    public init() {}
    /// Always throws `CoreError.NotImplemented`.
    public func map(_ from: From) throws -> To {
        throw CoreError.NotImplemented(
            "There is no mapper from \(From.self) to \(To.self): give one where this is used."
        )
    }
}

/// A mapper of one part of a longer list: offset, limit and size stay.
public struct PaginationOffsetLimitMapper<From, To>: Mapper {
    private let element: any Mapper<From, To>

    /// A mapper by a mapper of the elements.
    public init(_ element: any Mapper<From, To>) { self.element = element }

    /// The part with each element mapped.
    public func map(_ from: PaginationOffsetLimit<From>) throws -> PaginationOffsetLimit<To> {
        PaginationOffsetLimit(
            values: try element.map(from.values),
            offset: from.offset,
            limit: from.limit,
            size: from.size
        )
    }
}
