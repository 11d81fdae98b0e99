public import LarderCore

/// A source that tries again where the source behind it fails.
public struct RetryDataSource<Source: DataSource>: DataSource {
    private let source: Source
    private let policy: RetryPolicy

    /// A source that tries again.
    ///
    /// - Parameters:
    ///   - source: What is asked.
    ///   - policy: How often, how soon and after which errors.
    public init(_ source: Source, policy: RetryPolicy = RetryPolicy()) {
        self.source = source
        self.policy = policy
    }
}

extension RetryDataSource: GetDataSource where Source: GetDataSource {
    /// Reads one value, again as long as it fails and the policy allows; the last error counts.
    public func get(_ query: Source.GetQuery) -> Future<Source.T> { policy.run { [source] in source.get(query) } }
    /// Reads a list, again as long as it fails and the policy allows; the last error counts.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        policy.run { [source] in source.getAll(query) }
    }
}

extension RetryDataSource: PutDataSource where Source: PutDataSource {
    /// Writes one value, again as long as it fails and the policy allows; the last error counts.
    @discardableResult
    public func put(_ value: Source.T?, in query: Source.PutQuery) -> Future<Source.T> {
        policy.run { [source] in source.put(value, in: query) }
    }
    /// Writes a list, again as long as it fails and the policy allows; the last error counts.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: Source.PutAllQuery) -> Future<[Source.T]> {
        policy.run { [source] in source.putAll(values, in: query) }
    }
}

extension RetryDataSource: DeleteDataSource where Source: DeleteDataSource {
    /// Deletes, again as long as it fails and the policy allows; the last error counts.
    @discardableResult
    public func delete(_ query: Source.DeleteQuery) -> Future<Void> {
        policy.run { [source] in source.delete(query) }
    }
}

extension RetryDataSource: UpdateDataSource where Source: UpdateDataSource {
    /// Changes one value in one step, again as long as it fails and the policy allows; the last error counts.
    @discardableResult
    public func update(
        _ query: Source.UpdateQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> {
        policy.run { [source] in source.update(query, change) }
    }
}

extension RetryDataSource: EntriesDataSource where Source: EntriesDataSource {
    /// Every single value with its key, tried again as reads are.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> { policy.run { [source] in source.entries() } }
}

extension RetryDataSource: ObservableDataSource where Source: ObservableDataSource {
    /// What changes from now on.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}

extension RetryDataSource: PlacedDataSource {
    /// Where the source behind it has its values.
    public var storedOrigin: StoredOrigin { .of(source) }
}
