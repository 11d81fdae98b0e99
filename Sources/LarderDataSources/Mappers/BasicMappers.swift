import LarderCore

/// A mapper that returns its argument.
public struct IdentityMapper<T>: Mapper {
    /// Creates an identity mapper.
    public init() {}
    /// Returns the value unchanged.
    public func map(_ from: T) -> T { from }
}

/// A mapper that calls a closure.
public struct ClosureMapper<From, To>: Mapper {
    private let closure: @Sendable (From) throws -> To

    /// Creates a mapper that calls a closure.
    ///
    /// - Parameter closure: A closure that converts a value. It runs once for each value.
    public init(_ closure: @escaping @Sendable (From) throws -> To) { self.closure = closure }

    /// Returns the result of calling the closure with the value.
    public func map(_ from: From) throws -> To { try closure(from) }
}

/// A mapper that applies two mappers, one after the other.
public struct ComposedMapper<From, Middle, To>: Mapper {
    private let first: any Mapper<From, Middle>
    private let second: any Mapper<Middle, To>

    /// Creates a mapper from two mappers.
    ///
    /// - Parameters:
    ///   - first: The mapper to apply first.
    ///   - second: The mapper to apply to the result of `first`.
    public init(_ first: any Mapper<From, Middle>, _ second: any Mapper<Middle, To>) {
        self.first = first
        self.second = second
    }

    /// Returns the result of applying both mappers to the value.
    public func map(_ from: From) throws -> To { try second.map(first.map(from)) }
}

/// A mapper that casts values from `From` to `To`.
public struct CastMapper<From, To>: Mapper {
    /// Creates a mapper that casts values.
    public init() {}

    /// Casts a value to `To`.
    ///
    /// - Parameter from: The value to cast.
    /// - Returns: The value as `To`.
    /// - Throws: `CoreError.Failed` if the value is not of type `To`.
    public func map(_ from: From) throws -> To {
        guard let to = from as? To else {
            throw CoreError.Failed(
                "A value of type \(type(of: from)) can't be cast to \(To.self). Use a mapper that converts it."
            )
        }
        return to
    }
}

/// A mapper that always fails, for use where values are mapped in one direction only.
public struct VoidMapper<From, To>: Mapper {
    /// Creates a mapper that always fails.
    public init() {}
    /// Always throws `CoreError.NotImplemented`.
    public func map(_ from: From) throws -> To {
        throw CoreError.NotImplemented(
            "A \(From.self) can't be mapped to a \(To.self) by `VoidMapper`, which always fails. Pass a mapper that converts the value."
        )
    }
}

/// A mapper that maps each element of a page.
///
/// The offset and the limit of the page and the size of the full list are unchanged.
public struct PaginationOffsetLimitMapper<From, To>: Mapper {
    private let element: any Mapper<From, To>

    /// Creates a mapper that applies `element` to each element of a page.
    public init(_ element: any Mapper<From, To>) { self.element = element }

    /// Returns the page with each element mapped.
    public func map(_ from: PaginationOffsetLimit<From>) throws -> PaginationOffsetLimit<To> {
        PaginationOffsetLimit(
            values: try element.map(from.values),
            offset: from.offset,
            limit: from.limit,
            size: from.size
        )
    }
}
