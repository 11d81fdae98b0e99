/// A repository that retries failed calls to an underlying repository, using the same operation for each attempt.
public struct RetryRepository<Inner: Sendable>: Sendable {
    private let repository: Inner
    private let policy: RetryPolicy

    /// Creates a repository that retries failed calls.
    ///
    /// - Parameters:
    ///   - repository: The repository to call.
    ///   - policy: The policy that defines the number of attempts, the delays, and the errors after which a call is retried.
    public init(_ repository: Inner, policy: RetryPolicy = RetryPolicy()) {
        self.repository = repository
        self.policy = policy
    }
}

extension RetryRepository: GetRepository where Inner: GetRepository {
    /// Reads a value and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    public func get(_ query: Inner.GetQuery, operation: RepositoryOperation) -> Future<Inner.T> {
        policy.run { [repository] in repository.get(query, operation: operation) }
    }
    /// Reads a list and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    public func getAll(_ query: Inner.GetAllQuery, operation: RepositoryOperation) -> Future<[Inner.T]> {
        policy.run { [repository] in repository.getAll(query, operation: operation) }
    }
}

extension RetryRepository: PutRepository where Inner: PutRepository {
    /// Writes a value and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    @discardableResult
    public func put(_ value: Inner.T?, in query: Inner.PutQuery, operation: RepositoryOperation) -> Future<Inner.T> {
        policy.run { [repository] in repository.put(value, in: query, operation: operation) }
    }
    /// Writes a list and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    @discardableResult
    public func putAll(
        _ values: [Inner.T],
        in query: Inner.PutAllQuery,
        operation: RepositoryOperation
    ) -> Future<[Inner.T]> {
        policy.run { [repository] in repository.putAll(values, in: query, operation: operation) }
    }
}

extension RetryRepository: DeleteRepository where Inner: DeleteRepository {
    /// Deletes values and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    @discardableResult
    public func delete(_ query: Inner.DeleteQuery, operation: RepositoryOperation) -> Future<Void> {
        policy.run { [repository] in repository.delete(query, operation: operation) }
    }
}
