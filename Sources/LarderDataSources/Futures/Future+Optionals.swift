import LarderCore

extension Future {
    /// A future of what an optional holds.
    ///
    /// - Returns: The value; the failure is `CoreError.NotFound` when there is none.
    public func unwrap<Wrapped: Sendable>() -> Future<Wrapped> where Value == Wrapped? {
        map { value in
            guard let value else { throw CoreError.NotFound() }
            return value
        }
    }

    /// A future of what an optional holds, or of something else where it holds nothing.
    ///
    /// - Parameter replacement: Run where the future settles, when there is no value.
    /// - Returns: The value or its replacement.
    public func fill<Wrapped: Sendable>(
        _ replacement: @escaping @Sendable () throws -> Wrapped
    ) -> Future<Wrapped> where Value == Wrapped? {
        map { value in try value ?? replacement() }
    }
}
