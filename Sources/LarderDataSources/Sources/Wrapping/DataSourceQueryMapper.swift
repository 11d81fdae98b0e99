public import LarderCore

/// A source that takes queries of a kind of its own and asks another source with what they are mapped to.
///
/// Each verb has a mapper of its own; values go through untouched. A mapper that throws fails the call, and the inner source is
/// not asked.
public struct DataSourceQueryMapper<OuterQuery: Sendable, Source: GetDataSource & PutDataSource & DeleteDataSource>:
    GetDataSource, PutDataSource, DeleteDataSource
{
    private let source: Source
    private let getQueryMapper: any Mapper<OuterQuery, Source.GetQuery>
    private let getAllQueryMapper: any Mapper<OuterQuery, Source.GetAllQuery>
    private let putQueryMapper: any Mapper<OuterQuery, Source.PutQuery>
    private let putAllQueryMapper: any Mapper<OuterQuery, Source.PutAllQuery>
    private let deleteQueryMapper: any Mapper<OuterQuery, Source.DeleteQuery>

    /// A source that maps queries.
    ///
    /// - Parameters:
    ///   - source: What is asked.
    ///   - getQueryMapper: Maps the queries of `get`.
    ///   - getAllQueryMapper: Maps the queries of `getAll`.
    ///   - putQueryMapper: Maps the queries of `put`.
    ///   - putAllQueryMapper: Maps the queries of `putAll`.
    ///   - deleteQueryMapper: Maps the queries of `delete`.
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

    /// Reads one value by the mapped query.
    public func get(_ query: OuterQuery) -> Future<Source.T> { asking(getQueryMapper, query) { source.get($0) } }

    /// Reads a list by the mapped query.
    public func getAll(_ query: OuterQuery) -> Future<[Source.T]> {
        asking(getAllQueryMapper, query) { source.getAll($0) }
    }

    /// Writes one value by the mapped query.
    @discardableResult
    public func put(_ value: Source.T?, in query: OuterQuery) -> Future<Source.T> {
        asking(putQueryMapper, query) { source.put(value, in: $0) }
    }

    /// Writes a list by the mapped query.
    @discardableResult
    public func putAll(_ values: [Source.T], in query: OuterQuery) -> Future<[Source.T]> {
        asking(putAllQueryMapper, query) { source.putAll(values, in: $0) }
    }

    /// Deletes by the mapped query.
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
    /// Changes one value in one step, by what the query mapper of `put` makes of the query.
    @discardableResult
    public func update(
        _ query: OuterQuery,
        _ change: @escaping @Sendable (inout Source.T?) throws -> Void
    ) -> Future<Source.T?> {
        asking(putQueryMapper, query) { source.update($0, change) }
    }
}

extension DataSourceQueryMapper: EntriesDataSource where Source: EntriesDataSource {
    /// Every single value with the key that the inner source has for it.
    public func entries() -> Future<[DataSourceEntry<Source.T>]> { source.entries() }
}

extension DataSourceQueryMapper: ObservableDataSource where Source: ObservableDataSource {
    /// What changes from now on under keys of the inner source.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<Source.T> {
        try source.changes(for: query)
    }
}

extension DataSourceQueryMapper: PlacedDataSource {
    /// Where the source behind it has its values.
    public var storedOrigin: StoredOrigin { .of(source) }
}
