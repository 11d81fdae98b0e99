public import LarderCore

extension TimedCacheDataSource: UpdateDataSource where Source: UpdateDataSource {
    /// Changes one value in one step in the source, then in memory.
    @discardableResult
    public func update(
        _ query: Source.UpdateQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> {
        changing(query, { $0.map { .value($0) } }) { source.update(query, change) }
    }
}

extension TimedCacheDataSource: EntriesDataSource where Source: EntriesDataSource {
    /// Every single value of the source with its key; memory is not asked.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> { timeLimit.reading(source.entries()) }
}

extension TimedCacheDataSource: ObservableDataSource where Source: ObservableDataSource {
    /// What changes from now on in the source.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}
