public import LarderCore

/// A repository that supports no operations.
///
/// All calls fail with `CoreError.NotImplemented`.
public struct VoidRepository<T: Sendable>: GetRepository, PutRepository, DeleteRepository {
    /// Creates a repository that supports no operations.
    public init() {}

    /// Always fails with `CoreError.NotImplemented`.
    public func get(_ query: any Query, operation: RepositoryOperation) -> Future<T> { refused("get") }
    /// Always fails with `CoreError.NotImplemented`.
    public func getAll(_ query: any Query, operation: RepositoryOperation) -> Future<[T]> { refused("getAll") }
    /// Always fails with `CoreError.NotImplemented`.
    @discardableResult
    public func put(_ value: T?, in query: any Query, operation: RepositoryOperation) -> Future<T> { refused("put") }
    /// Always fails with `CoreError.NotImplemented`.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query, operation: RepositoryOperation) -> Future<[T]> {
        refused("putAll")
    }
    /// Always fails with `CoreError.NotImplemented`.
    @discardableResult
    public func delete(_ query: any Query, operation: RepositoryOperation) -> Future<Void> { refused("delete") }

    private func refused<Result>(_ verb: String) -> Future<Result> {
        Future(
            error: CoreError.NotImplemented(
                "This repository does not support `\(verb)`. Use a repository that implements this method."
            )
        )
    }
}
