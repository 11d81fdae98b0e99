import LarderCore

extension Future {
    /// Returns a future that unwraps this future's optional value.
    ///
    /// - Returns: A future that settles with the wrapped value. It fails with `CoreError.NotFound` if the optional is `nil`.
    public func unwrap<Wrapped: Sendable>() -> Future<Wrapped> where Value == Wrapped? {
        map { value in
            guard let value else { throw CoreError.NotFound() }
            return value
        }
    }

    /// Returns a future that unwraps this future's optional value and replaces `nil`.
    ///
    /// - Parameter replacement: A closure that returns the replacement. It runs on the thread that settles this future, if the value is
    ///   `nil`. If the closure throws, the new future fails with that error.
    /// - Returns: A future that settles with the value or its replacement.
    public func fill<Wrapped: Sendable>(
        _ replacement: @escaping @Sendable () throws -> Wrapped
    ) -> Future<Wrapped> where Value == Wrapped? {
        map { value in try value ?? replacement() }
    }
}
