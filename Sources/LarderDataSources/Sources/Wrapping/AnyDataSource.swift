public import LarderCore

/// A type-erased data source.
///
/// A call fails with `CoreError.QueryNotSupported` if the underlying source does not support the query.
public struct AnyDataSource<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    private let getter: AnyGetDataSource<T>
    private let putter: AnyPutDataSource<T>
    private let deleter: AnyDeleteDataSource
    private let abilities: SourceAbilities<T>

    /// Creates a source that forwards all calls to `source`.
    public init<Source: GetDataSource<T> & PutDataSource<T> & DeleteDataSource>(_ source: Source) {
        getter = AnyGetDataSource(source)
        putter = AnyPutDataSource(source)
        deleter = AnyDeleteDataSource(source)
        abilities = SourceAbilities(source)
    }

    /// Reads a value from the underlying source.
    public func get(_ query: any Query) -> Future<T> { getter.get(query) }
    /// Reads a list from the underlying source.
    public func getAll(_ query: any Query) -> Future<[T]> { getter.getAll(query) }
    /// Writes a value to the underlying source.
    @discardableResult
    public func put(_ value: T?, in query: any Query) -> Future<T> { putter.put(value, in: query) }
    /// Writes a list to the underlying source.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query) -> Future<[T]> { putter.putAll(values, in: query) }
    /// Deletes values from the underlying source.
    @discardableResult
    public func delete(_ query: any Query) -> Future<Void> { deleter.delete(query) }
}

extension AnyDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Atomically changes a value in the underlying source.
    ///
    /// Fails with `CoreError.NotImplemented` if the underlying source does not support updates.
    @discardableResult
    public func update(
        _ query: any Query,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> { abilities.update(query, change) }

    /// Returns all values of the underlying source except lists, with their keys.
    ///
    /// Fails with `CoreError.NotImplemented` if the underlying source can't list its entries.
    public func entries() -> Future<[DataSourceEntry<T>]> { abilities.entries() }

    /// Returns the changes that the underlying source reports.
    ///
    /// Throws `CoreError.NotImplemented` if the underlying source can't be observed.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<T> { try abilities.changes(query) }
}

extension AnyDataSource: PlacedDataSource {
    /// The storage location that the underlying source reports for its values.
    public var storedOrigin: StoredOrigin { abilities.origin }
}

/// A type-erased source for reading; see ``AnyDataSource``.
public struct AnyGetDataSource<T: Sendable>: GetDataSource {
    private let getOne: @Sendable (any Query) -> Future<T>
    private let getList: @Sendable (any Query) -> Future<[T]>

    /// Creates a source that forwards all calls to `source`.
    public init<Source: GetDataSource<T>>(_ source: Source) {
        getOne = { query in narrowed(query, for: Source.self) { source.get($0) } }
        getList = { query in narrowed(query, for: Source.self) { source.getAll($0) } }
    }

    /// Reads a value from the underlying source.
    public func get(_ query: any Query) -> Future<T> { getOne(query) }
    /// Reads a list from the underlying source.
    public func getAll(_ query: any Query) -> Future<[T]> { getList(query) }
}

/// A type-erased source for writing; see ``AnyDataSource``.
public struct AnyPutDataSource<T: Sendable>: PutDataSource {
    private let putOne: @Sendable (T?, any Query) -> Future<T>
    private let putList: @Sendable ([T], any Query) -> Future<[T]>

    /// Creates a source that forwards all calls to `source`.
    public init<Source: PutDataSource<T>>(_ source: Source) {
        putOne = { value, query in narrowed(query, for: Source.self) { source.put(value, in: $0) } }
        putList = { values, query in narrowed(query, for: Source.self) { source.putAll(values, in: $0) } }
    }

    /// Writes a value to the underlying source.
    @discardableResult
    public func put(_ value: T?, in query: any Query) -> Future<T> { putOne(value, query) }
    /// Writes a list to the underlying source.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query) -> Future<[T]> { putList(values, query) }
}

/// A type-erased source for deleting; see ``AnyDataSource``.
public struct AnyDeleteDataSource: DeleteDataSource {
    private let deleteIn: @Sendable (any Query) -> Future<Void>

    /// Creates a source that forwards all calls to `source`.
    public init<Source: DeleteDataSource>(_ source: Source) {
        deleteIn = { query in narrowed(query, for: Source.self) { source.delete($0) } }
    }

    /// Deletes values from the underlying source.
    @discardableResult
    public func delete(_ query: any Query) -> Future<Void> { deleteIn(query) }
}
