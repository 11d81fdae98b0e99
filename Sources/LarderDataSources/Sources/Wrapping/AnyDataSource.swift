public import LarderCore

/// A source of any kind behind one type.
///
/// It takes any query, and fails with `CoreError.QueryNotSupported` where the source behind it does not take that query.
public struct AnyDataSource<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    private let getter: AnyGetDataSource<T>
    private let putter: AnyPutDataSource<T>
    private let deleter: AnyDeleteDataSource
    private let abilities: SourceAbilities<T>

    /// Hides what kind of source it is.
    public init<Source: GetDataSource<T> & PutDataSource<T> & DeleteDataSource>(_ source: Source) {
        getter = AnyGetDataSource(source)
        putter = AnyPutDataSource(source)
        deleter = AnyDeleteDataSource(source)
        abilities = SourceAbilities(source)
    }

    /// Reads one value from the source.
    public func get(_ query: any Query) -> Future<T> { getter.get(query) }
    /// Reads a list from the source.
    public func getAll(_ query: any Query) -> Future<[T]> { getter.getAll(query) }
    /// Writes one value to the source.
    @discardableResult
    public func put(_ value: T?, in query: any Query) -> Future<T> { putter.put(value, in: query) }
    /// Writes a list to the source.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query) -> Future<[T]> { putter.putAll(values, in: query) }
    /// Deletes from the source.
    @discardableResult
    public func delete(_ query: any Query) -> Future<Void> { deleter.delete(query) }
}

extension AnyDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Changes one value in one step; `CoreError.NotImplemented` where the source can't.
    @discardableResult
    public func update(
        _ query: any Query,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> { abilities.update(query, change) }

    /// Every single value with its key; `CoreError.NotImplemented` where the source can't list them.
    public func entries() -> Future<[DataSourceEntry<T>]> { abilities.entries() }

    /// What changes from now on; throws `CoreError.NotImplemented` where the source does not tell.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<T> { try abilities.changes(query) }
}

extension AnyDataSource: PlacedDataSource {
    /// Where the source behind it has its values.
    public var storedOrigin: StoredOrigin { abilities.origin }
}

/// A source that reads, of any kind, behind one type; see ``AnyDataSource``.
public struct AnyGetDataSource<T: Sendable>: GetDataSource {
    private let getOne: @Sendable (any Query) -> Future<T>
    private let getList: @Sendable (any Query) -> Future<[T]>

    /// Hides what kind of source it is.
    public init<Source: GetDataSource<T>>(_ source: Source) {
        getOne = { query in narrowed(query, for: Source.self) { source.get($0) } }
        getList = { query in narrowed(query, for: Source.self) { source.getAll($0) } }
    }

    /// Reads one value from the source.
    public func get(_ query: any Query) -> Future<T> { getOne(query) }
    /// Reads a list from the source.
    public func getAll(_ query: any Query) -> Future<[T]> { getList(query) }
}

/// A source that writes, of any kind, behind one type; see ``AnyDataSource``.
public struct AnyPutDataSource<T: Sendable>: PutDataSource {
    private let putOne: @Sendable (T?, any Query) -> Future<T>
    private let putList: @Sendable ([T], any Query) -> Future<[T]>

    /// Hides what kind of source it is.
    public init<Source: PutDataSource<T>>(_ source: Source) {
        putOne = { value, query in narrowed(query, for: Source.self) { source.put(value, in: $0) } }
        putList = { values, query in narrowed(query, for: Source.self) { source.putAll(values, in: $0) } }
    }

    /// Writes one value to the source.
    @discardableResult
    public func put(_ value: T?, in query: any Query) -> Future<T> { putOne(value, query) }
    /// Writes a list to the source.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query) -> Future<[T]> { putList(values, query) }
}

/// A source that deletes, of any kind, behind one type; see ``AnyDataSource``.
public struct AnyDeleteDataSource: DeleteDataSource {
    private let deleteIn: @Sendable (any Query) -> Future<Void>

    /// Hides what kind of source it is.
    public init<Source: DeleteDataSource>(_ source: Source) {
        deleteIn = { query in narrowed(query, for: Source.self) { source.delete($0) } }
    }

    /// Deletes from the source.
    @discardableResult
    public func delete(_ query: any Query) -> Future<Void> { deleteIn(query) }
}
