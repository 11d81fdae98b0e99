public import LarderCore

/// A source that does nothing: every call fails with `CoreError.NotImplemented`.
public struct VoidDataSource<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    /// The source.
    public init() {}

    /// Fails with `CoreError.NotImplemented`.
    public func get(_ query: any Query) -> Future<T> { refused("get") }
    /// Fails with `CoreError.NotImplemented`.
    public func getAll(_ query: any Query) -> Future<[T]> { refused("getAll") }
    /// Fails with `CoreError.NotImplemented`.
    @discardableResult
    public func put(_ value: T?, in query: any Query) -> Future<T> { refused("put") }
    /// Fails with `CoreError.NotImplemented`.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query) -> Future<[T]> { refused("putAll") }
    /// Fails with `CoreError.NotImplemented`.
    @discardableResult
    public func delete(_ query: any Query) -> Future<Void> { refused("delete") }

    private func refused<Result>(_ verb: String) -> Future<Result> {
        Future(error: CoreError.NotImplemented("This source has no `\(verb)`: assemble it with a source that has."))
    }
}
