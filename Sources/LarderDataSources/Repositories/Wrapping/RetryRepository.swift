/// A repository that tries again where the repository behind it fails, each time with the operation it was given.
public struct RetryRepository<Inner: Sendable>: Sendable {
    private let repository: Inner
    private let policy: RetryPolicy

    /// A repository that tries again.
    ///
    /// - Parameters:
    ///   - repository: What is asked.
    ///   - policy: How often, how soon and after which errors.
    public init(_ repository: Inner, policy: RetryPolicy = RetryPolicy()) {
        self.repository = repository
        self.policy = policy
    }
}

extension RetryRepository: GetRepository where Inner: GetRepository {
    /// Reads one value, again as long as it fails and the policy allows; the last error counts.
    public func get(_ query: Inner.GetQuery, operation: RepositoryOperation) -> Future<Inner.T> {
        policy.run { [repository] in repository.get(query, operation: operation) }
    }
    /// Reads a list, again as long as it fails and the policy allows; the last error counts.
    public func getAll(_ query: Inner.GetAllQuery, operation: RepositoryOperation) -> Future<[Inner.T]> {
        policy.run { [repository] in repository.getAll(query, operation: operation) }
    }
}

extension RetryRepository: PutRepository where Inner: PutRepository {
    /// Writes one value, again as long as it fails and the policy allows; the last error counts.
    @discardableResult
    public func put(_ value: Inner.T?, in query: Inner.PutQuery, operation: RepositoryOperation) -> Future<Inner.T> {
        policy.run { [repository] in repository.put(value, in: query, operation: operation) }
    }
    /// Writes a list, again as long as it fails and the policy allows; the last error counts.
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
    /// Deletes, again as long as it fails and the policy allows; the last error counts.
    @discardableResult
    public func delete(_ query: Inner.DeleteQuery, operation: RepositoryOperation) -> Future<Void> {
        policy.run { [repository] in repository.delete(query, operation: operation) }
    }
}
