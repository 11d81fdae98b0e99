public import LarderCore

extension TimedCacheDataSource: UpdateDataSource where Source: UpdateDataSource {
    /// Changes a value atomically in the underlying source, then caches the result.
    @discardableResult
    public func update(
        _ query: Source.UpdateQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> {
        changing(query, { $0.map { .value($0) } }) { source.update(query, change) }
    }
}

extension TimedCacheDataSource: EntriesDataSource where Source: EntriesDataSource {
    /// Returns all values of the underlying source except lists, with their keys.
    ///
    /// This method bypasses the cache.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> { timeLimit.reading(source.entries()) }
}

extension TimedCacheDataSource: ObservableDataSource where Source: ObservableDataSource {
    /// Returns the changes that the underlying source reports.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}
