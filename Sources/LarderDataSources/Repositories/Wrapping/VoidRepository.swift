public import LarderCore

/// A repository that does nothing: every call fails with `CoreError.NotImplemented`.
public struct VoidRepository<T: Sendable>: GetRepository, PutRepository, DeleteRepository {
    /// The repository.
    public init() {}

    /// Fails with `CoreError.NotImplemented`.
    public func get(_ query: any Query, operation: RepositoryOperation) -> Future<T> { refused("get") }
    /// Fails with `CoreError.NotImplemented`.
    public func getAll(_ query: any Query, operation: RepositoryOperation) -> Future<[T]> { refused("getAll") }
    /// Fails with `CoreError.NotImplemented`.
    @discardableResult
    public func put(_ value: T?, in query: any Query, operation: RepositoryOperation) -> Future<T> { refused("put") }
    /// Fails with `CoreError.NotImplemented`.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query, operation: RepositoryOperation) -> Future<[T]> {
        refused("putAll")
    }
    /// Fails with `CoreError.NotImplemented`.
    @discardableResult
    public func delete(_ query: any Query, operation: RepositoryOperation) -> Future<Void> { refused("delete") }

    private func refused<Result>(_ verb: String) -> Future<Result> {
        Future(error: CoreError.NotImplemented("This repository has no `\(verb)`: assemble it with one that has."))
    }
}
