// What the original has a class for each: a function that asks a repository in one way, to hand to a view or a use case.

extension GetRepository {
    /// A function that reads one value.
    ///
    /// - Parameter operation: Which sources it asks, each time.
    /// - Returns: The function.
    public func toGetInteractor(_ operation: RepositoryOperation = .standard) -> @Sendable (GetQuery) -> Future<T> {
        { get($0, operation: operation) }
    }

    /// A function that reads a list.
    ///
    /// - Parameter operation: Which sources it asks, each time.
    /// - Returns: The function.
    public func toGetAllInteractor(
        _ operation: RepositoryOperation = .standard
    ) -> @Sendable (GetAllQuery) -> Future<[T]> {
        { getAll($0, operation: operation) }
    }
}

extension PutRepository {
    /// A function that writes one value.
    ///
    /// - Parameter operation: Which sources it writes to, each time.
    /// - Returns: The function.
    public func toPutInteractor(
        _ operation: RepositoryOperation = .standard
    ) -> @Sendable (T?, PutQuery) -> Future<T> {
        { put($0, in: $1, operation: operation) }
    }

    /// A function that writes a list.
    ///
    /// - Parameter operation: Which sources it writes to, each time.
    /// - Returns: The function.
    public func toPutAllInteractor(
        _ operation: RepositoryOperation = .standard
    ) -> @Sendable ([T], PutAllQuery) -> Future<[T]> {
        { putAll($0, in: $1, operation: operation) }
    }
}

extension DeleteRepository {
    /// A function that deletes.
    ///
    /// - Parameter operation: Which sources it deletes from, each time.
    /// - Returns: The function.
    public func toDeleteInteractor(
        _ operation: RepositoryOperation = .standard
    ) -> @Sendable (DeleteQuery) -> Future<Void> {
        { delete($0, operation: operation) }
    }
}
