public import LarderCore

extension TimedCacheDataSource: UpdateDataSource where Source: UpdateDataSource {
    /// Changes one value in one step in the source; memory forgets it.
    @discardableResult
    public func update(
        _ query: Source.UpdateQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> {
        changing(query)
        // Again when it is done: somebody may have read the old value meanwhile.
        return source.update(query, change).onCompletion { [weak self] in self?.changing(query) }
    }
}

extension TimedCacheDataSource: EntriesDataSource where Source: EntriesDataSource {
    /// Every single value of the source with its key; memory is not asked.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> { source.entries() }
}

extension TimedCacheDataSource: ObservableDataSource where Source: ObservableDataSource {
    /// What changes from now on in the source.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}
