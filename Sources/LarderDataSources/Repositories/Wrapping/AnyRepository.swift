public import LarderCore

/// A type-erased repository.
///
/// A call fails with `CoreError.QueryNotSupported` if the underlying repository does not support the query.
public struct AnyRepository<T: Sendable>: GetRepository, PutRepository, DeleteRepository {
    private let getOne: @Sendable (any Query, RepositoryOperation) -> Future<T>
    private let getList: @Sendable (any Query, RepositoryOperation) -> Future<[T]>
    private let putOne: @Sendable (T?, any Query, RepositoryOperation) -> Future<T>
    private let putList: @Sendable ([T], any Query, RepositoryOperation) -> Future<[T]>
    private let deleteIn: @Sendable (any Query, RepositoryOperation) -> Future<Void>

    /// Creates a repository that forwards all calls to `repository`.
    public init<Inner: GetRepository<T> & PutRepository<T> & DeleteRepository>(_ repository: Inner) {
        getOne = { query, operation in
            narrowed(query, for: Inner.self) { repository.get($0, operation: operation) }
        }
        getList = { query, operation in
            narrowed(query, for: Inner.self) { repository.getAll($0, operation: operation) }
        }
        putOne = { value, query, operation in
            narrowed(query, for: Inner.self) { repository.put(value, in: $0, operation: operation) }
        }
        putList = { values, query, operation in
            narrowed(query, for: Inner.self) { repository.putAll(values, in: $0, operation: operation) }
        }
        deleteIn = { query, operation in
            narrowed(query, for: Inner.self) { repository.delete($0, operation: operation) }
        }
    }

    /// Reads a value from the underlying repository.
    public func get(_ query: any Query, operation: RepositoryOperation) -> Future<T> { getOne(query, operation) }
    /// Reads a list from the underlying repository.
    public func getAll(_ query: any Query, operation: RepositoryOperation) -> Future<[T]> { getList(query, operation) }
    /// Writes a value to the underlying repository.
    @discardableResult
    public func put(_ value: T?, in query: any Query, operation: RepositoryOperation) -> Future<T> {
        putOne(value, query, operation)
    }
    /// Writes a list to the underlying repository.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query, operation: RepositoryOperation) -> Future<[T]> {
        putList(values, query, operation)
    }
    /// Deletes values from the underlying repository.
    @discardableResult
    public func delete(_ query: any Query, operation: RepositoryOperation) -> Future<Void> {
        deleteIn(query, operation)
    }
}
