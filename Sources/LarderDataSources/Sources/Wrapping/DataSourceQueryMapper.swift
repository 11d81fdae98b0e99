public import LarderCore

/// A data source that maps queries of its own type to queries for another source.
///
/// Each method has its own query mapper. Values are forwarded unchanged. If a mapper throws, the call fails and the underlying source is
/// not called.
public struct DataSourceQueryMapper<OuterQuery: Sendable, Source: GetDataSource & PutDataSource & DeleteDataSource>:
    GetDataSource, PutDataSource, DeleteDataSource
{
    private let source: Source
    private let getQueryMapper: any Mapper<OuterQuery, Source.GetQuery>
    private let getAllQueryMapper: any Mapper<OuterQuery, Source.GetAllQuery>
    private let putQueryMapper: any Mapper<OuterQuery, Source.PutQuery>
    private let putAllQueryMapper: any Mapper<OuterQuery, Source.PutAllQuery>
    private let deleteQueryMapper: any Mapper<OuterQuery, Source.DeleteQuery>

    /// Creates a data source that maps queries and forwards calls to an underlying source.
    ///
    /// - Parameters:
    ///   - source: The underlying source.
    ///   - getQueryMapper: A mapper for the queries that are passed to `get`.
    ///   - getAllQueryMapper: A mapper for the queries that are passed to `getAll`.
    ///   - putQueryMapper: A mapper for the queries that are passed to `put`.
    ///   - putAllQueryMapper: A mapper for the queries that are passed to `putAll`.
    ///   - deleteQueryMapper: A mapper for the queries that are passed to `delete`.
    public init(
        _ source: Source,
        getQueryMapper: any Mapper<OuterQuery, Source.GetQuery>,
        getAllQueryMapper: any Mapper<OuterQuery, Source.GetAllQuery>,
        putQueryMapper: any Mapper<OuterQuery, Source.PutQuery>,
        putAllQueryMapper: any Mapper<OuterQuery, Source.PutAllQuery>,
        deleteQueryMapper: any Mapper<OuterQuery, Source.DeleteQuery>
    ) {
        self.source = source
        self.getQueryMapper = getQueryMapper
        self.getAllQueryMapper = getAllQueryMapper
        self.putQueryMapper = putQueryMapper
        self.putAllQueryMapper = putAllQueryMapper
        self.deleteQueryMapper = deleteQueryMapper
    }

    /// Reads a value from the underlying source with the mapped query.
    public func get(_ query: OuterQuery) -> Future<Source.T> { asking(getQueryMapper, query) { source.get($0) } }

    /// Reads a list from the underlying source with the mapped query.
    public func getAll(_ query: OuterQuery) -> Future<[Source.T]> {
        asking(getAllQueryMapper, query) { source.getAll($0) }
    }

    /// Writes a value to the underlying source with the mapped query.
    @discardableResult
    public func put(_ value: Source.T?, in query: OuterQuery) -> Future<Source.T> {
        asking(putQueryMapper, query) { source.put(value, in: $0) }
    }

    /// Writes a list to the underlying source with the mapped query.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: OuterQuery) -> Future<[Source.T]> {
        asking(putAllQueryMapper, query) { source.putAll(values, in: $0) }
    }

    /// Deletes values from the underlying source with the mapped query.
    @discardableResult
    public func delete(_ query: OuterQuery) -> Future<Void> { asking(deleteQueryMapper, query) { source.delete($0) } }

    private func asking<Inner, Result>(
        _ mapper: any Mapper<OuterQuery, Inner>,
        _ query: OuterQuery,
        _ ask: (Inner) -> Future<Result>
    ) -> Future<Result> {
        do { return ask(try mapper.map(query)) } catch { return Future(error: error) }
    }
}

extension DataSourceQueryMapper: UpdateDataSource
where Source: UpdateDataSource, Source.UpdateQuery == Source.PutQuery {
    /// Atomically changes a value in the underlying source.
    ///
    /// The query is mapped by the mapper for `put` queries.
    @discardableResult
    public func update(
        _ query: OuterQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> {
        asking(putQueryMapper, query) { source.update($0, change) }
    }
}

extension DataSourceQueryMapper: EntriesDataSource where Source: EntriesDataSource {
    /// Returns all values of the underlying source except lists, with their keys.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> { source.entries() }
}

extension DataSourceQueryMapper: ObservableDataSource where Source: ObservableDataSource {
    /// Returns the changes that the underlying source reports for the keys that a query selects.
    ///
    /// The query is not mapped.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}

extension DataSourceQueryMapper: PlacedDataSource {
    /// The storage location that the underlying source reports for its values.
    public var storedOrigin: StoredOrigin { .of(source) }
}
