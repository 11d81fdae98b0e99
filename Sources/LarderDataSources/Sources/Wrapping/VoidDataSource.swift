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

    private func refused<Result>(_ verb: String) -> Future<Result> { Future(error: Self.refusal(verb)) }

    private static func refusal(_ verb: String) -> CoreError.NotImplemented {
        CoreError.NotImplemented("This source has no `\(verb)`: assemble it with a source that has.")
    }
}

extension VoidDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Fails with `CoreError.NotImplemented`.
    @discardableResult
    public func update(
        _ query: any Query,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> { refused("update") }
    /// Fails with `CoreError.NotImplemented`.
    public func entries() -> Future<[DataSourceEntry<T>]> { refused("entries") }
    /// Throws `CoreError.NotImplemented`.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<T> { throw Self.refusal("changes") }
}
