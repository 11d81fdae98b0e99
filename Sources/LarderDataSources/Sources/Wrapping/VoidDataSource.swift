public import LarderCore

/// A data source that supports no operations.
///
/// All calls fail with `CoreError.NotImplemented`.
public struct VoidDataSource<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    /// Creates a source that supports no operations.
    public init() {}

    /// Always fails with `CoreError.NotImplemented`.
    public func get(_ query: any Query) -> Future<T> { refused("get") }
    /// Always fails with `CoreError.NotImplemented`.
    public func getAll(_ query: any Query) -> Future<[T]> { refused("getAll") }
    /// Always fails with `CoreError.NotImplemented`.
    @discardableResult
    public func put(_ value: T?, in query: any Query) -> Future<T> { refused("put") }
    /// Always fails with `CoreError.NotImplemented`.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query) -> Future<[T]> { refused("putAll") }
    /// Always fails with `CoreError.NotImplemented`.
    @discardableResult
    public func delete(_ query: any Query) -> Future<Void> { refused("delete") }

    private func refused<Result>(_ verb: String) -> Future<Result> { Future(error: Self.refusal(verb)) }

    private static func refusal(_ verb: String) -> CoreError.NotImplemented {
        CoreError.NotImplemented("This source does not support `\(verb)`. Use a source that implements this method.")
    }
}

extension VoidDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Always fails with `CoreError.NotImplemented`.
    @discardableResult
    public func update(
        _ query: any Query,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> { refused("update") }
    /// Always fails with `CoreError.NotImplemented`.
    public func entries() -> Future<[DataSourceEntry<T>]> { refused("entries") }
    /// Always throws `CoreError.NotImplemented`.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<T> { throw Self.refusal("changes") }
}
