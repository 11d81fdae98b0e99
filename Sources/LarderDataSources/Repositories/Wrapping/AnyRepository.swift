public import LarderCore

/// A repository of any kind behind one type.
///
/// It takes any query, and fails with `CoreError.QueryNotSupported` where the repository behind it does not take that query.
public struct AnyRepository<T: Sendable>: GetRepository, PutRepository, DeleteRepository {
    private let getOne: @Sendable (any Query, RepositoryOperation) -> Future<T>
    private let getList: @Sendable (any Query, RepositoryOperation) -> Future<[T]>
    private let putOne: @Sendable (T?, any Query, RepositoryOperation) -> Future<T>
    private let putList: @Sendable ([T], any Query, RepositoryOperation) -> Future<[T]>
    private let deleteIn: @Sendable (any Query, RepositoryOperation) -> Future<Void>

    /// Hides what kind of repository it is.
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

    /// Reads one value from the repository.
    public func get(_ query: any Query, operation: RepositoryOperation) -> Future<T> { getOne(query, operation) }
    /// Reads a list from the repository.
    public func getAll(_ query: any Query, operation: RepositoryOperation) -> Future<[T]> { getList(query, operation) }
    /// Writes one value to the repository.
    @discardableResult
    public func put(_ value: T?, in query: any Query, operation: RepositoryOperation) -> Future<T> {
        putOne(value, query, operation)
    }
    /// Writes a list to the repository.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query, operation: RepositoryOperation) -> Future<[T]> {
        putList(values, query, operation)
    }
    /// Deletes from the repository.
    @discardableResult
    public func delete(_ query: any Query, operation: RepositoryOperation) -> Future<Void> {
        deleteIn(query, operation)
    }
}
