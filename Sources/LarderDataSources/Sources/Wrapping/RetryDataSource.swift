public import LarderCore

/// A data source that retries failed calls to another source.
public struct RetryDataSource<Source: DataSource>: DataSource {
    private let source: Source
    private let policy: RetryPolicy

    /// Creates a data source that retries failed calls.
    ///
    /// - Parameters:
    ///   - source: The source to call.
    ///   - policy: The policy that defines the number of attempts, the delays, and the errors after which a call is retried.
    public init(_ source: Source, policy: RetryPolicy = RetryPolicy()) {
        self.source = source
        self.policy = policy
    }
}

extension RetryDataSource: GetDataSource where Source: GetDataSource {
    /// Reads a value and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    public func get(_ query: Source.GetQuery) -> Future<Source.T> { policy.run { [source] in source.get(query) } }
    /// Reads a list and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    public func getAll(_ query: Source.GetAllQuery) -> Future<[Source.T]> {
        policy.run { [source] in source.getAll(query) }
    }
}

extension RetryDataSource: PutDataSource where Source: PutDataSource {
    /// Writes a value and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    @discardableResult
    public func put(_ value: Source.T?, in query: Source.PutQuery) -> Future<Source.T> {
        policy.run { [source] in source.put(value, in: query) }
    }
    /// Writes a list and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: Source.PutAllQuery) -> Future<[Source.T]> {
        policy.run { [source] in source.putAll(values, in: query) }
    }
}

extension RetryDataSource: DeleteDataSource where Source: DeleteDataSource {
    /// Deletes values and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    @discardableResult
    public func delete(_ query: Source.DeleteQuery) -> Future<Void> {
        policy.run { [source] in source.delete(query) }
    }
}

extension RetryDataSource: UpdateDataSource where Source: UpdateDataSource {
    /// Changes a value atomically and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    @discardableResult
    public func update(
        _ query: Source.UpdateQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> {
        policy.run { [source] in source.update(query, change) }
    }
}

extension RetryDataSource: EntriesDataSource where Source: EntriesDataSource {
    /// Returns all values except lists, with their keys, and retries if an attempt fails.
    ///
    /// If all attempts fail, the future fails with the last error.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> { policy.run { [source] in source.entries() } }
}

extension RetryDataSource: ObservableDataSource where Source: ObservableDataSource {
    /// Returns the changes that the underlying source reports.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}

extension RetryDataSource: PlacedDataSource {
    /// The origin that the underlying source reports for its values.
    public var storedOrigin: StoredOrigin { .of(source) }
}
