// Replacements for Harmony's interactor classes: functions that read, write or delete with a fixed operation.

extension GetRepository {
    /// Returns a function that reads a value with a given operation.
    ///
    /// - Parameter operation: The operation to use for each call.
    /// - Returns: A function that calls this repository with `operation`.
    public func toGetInteractor(_ operation: RepositoryOperation = .standard) -> @Sendable (GetQuery) -> Future<T> {
        { get($0, operation: operation) }
    }

    /// Returns a function that reads a list with a given operation.
    ///
    /// - Parameter operation: The operation to use for each call.
    /// - Returns: A function that calls this repository with `operation`.
    public func toGetAllInteractor(
        _ operation: RepositoryOperation = .standard
    ) -> @Sendable (GetAllQuery) -> Future<[T]> {
        { getAll($0, operation: operation) }
    }
}

extension PutRepository {
    /// Returns a function that writes a value with a given operation.
    ///
    /// - Parameter operation: The operation to use for each call.
    /// - Returns: A function that calls this repository with `operation`.
    public func toPutInteractor(
        _ operation: RepositoryOperation = .standard
    ) -> @Sendable (T?, PutQuery) -> Future<T> {
        { put($0, in: $1, operation: operation) }
    }

    /// Returns a function that writes a list with a given operation.
    ///
    /// - Parameter operation: The operation to use for each call.
    /// - Returns: A function that calls this repository with `operation`.
    public func toPutAllInteractor(
        _ operation: RepositoryOperation = .standard
    ) -> @Sendable ([T], PutAllQuery) -> Future<[T]> {
        { putAll($0, in: $1, operation: operation) }
    }
}

extension DeleteRepository {
    /// Returns a function that deletes values with a given operation.
    ///
    /// - Parameter operation: The operation to use for each call.
    /// - Returns: A function that calls this repository with `operation`.
    public func toDeleteInteractor(
        _ operation: RepositoryOperation = .standard
    ) -> @Sendable (DeleteQuery) -> Future<Void> {
        { delete($0, operation: operation) }
    }
}
