public import LarderCore

/// A data source that maps the values of another source to a different type, so that a store can hold your own types.
///
/// ```swift
/// let items = DataSourceMapper<String, Item>(
///     dataSource: DeviceStorageDataSource<String>(prefix: "Item"),
///     toInMapper: ItemToText(), toOutMapper: TextToItem())
/// try items.put(item, forId: "1").get()
/// ```
///
/// Queries are forwarded unchanged. Writing maps the value, stores the mapped value, and maps the value that the underlying source
/// returned. If a mapper throws, the call fails. If a mapper throws before a write, the underlying source stays unchanged.
public struct DataSourceMapper<In: Sendable, Out: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    @usableFromInline let getter: GetDataSourceMapper<In, Out>
    @usableFromInline let putter: PutDataSourceMapper<In, Out>
    @usableFromInline let deleteIn: @Sendable (any StoreQuery) -> Future<Void>
    @usableFromInline let abilities: SourceAbilities<Out>

    /// Creates a data source that maps values.
    ///
    /// A query that `dataSource` does not support fails with `CoreError.QueryNotSupported`.
    ///
    /// - Parameters:
    ///   - dataSource: The source that stores the values, converted to the type `In`.
    ///   - toInMapper: A mapper that converts values to the type `In` before a write.
    ///   - toOutMapper: A mapper that converts values from the type `In` after a read or a write.
    @inlinable
    public init<Source: GetDataSource & PutDataSource & DeleteDataSource>(
        dataSource: Source,
        toInMapper: any Mapper<Out, In>,
        toOutMapper: any Mapper<In, Out>
    ) where Source.T == In {
        getter = GetDataSourceMapper(dataSource: dataSource, toOutMapper: toOutMapper)
        putter = PutDataSourceMapper(dataSource: dataSource, toInMapper: toInMapper, toOutMapper: toOutMapper)
        deleteIn = { query in narrowed(query, for: Source.self) { dataSource.delete($0) } }
        abilities = Self.abilities(of: dataSource, toInMapper, toOutMapper)
    }

    @usableFromInline static func abilities(
        of dataSource: any DataSource,
        _ toIn: any Mapper<Out, In>,
        _ toOut: any Mapper<In, Out>
    ) -> SourceAbilities<Out> {
        SourceAbilities<In>(dataSource).mapped(in: toIn, out: toOut) { changes in
            changes.mapped(value: { try toOut.map($0) }, list: { try toOut.map($0) })
        }
    }

    /// Reads a value and maps it.
    ///
    /// - Parameter query: The query, which is passed to the underlying source unchanged.
    /// - Returns: A future that settles with the mapped value. It fails with the error of the underlying source or the mapper.
    @inlinable
    public func get(_ query: any KeyQuery) -> Future<Out> { getter.get(query) }

    /// Reads a list and maps each element.
    ///
    /// - Parameter query: The query, which is passed to the underlying source unchanged.
    /// - Returns: A future that settles with the mapped list. It fails with the error of the underlying source or the mapper.
    public func getAll(_ query: any StoreQuery) -> Future<[Out]> { getter.getAll(query) }

    /// Maps a value, writes it, and maps the value that the underlying source returned.
    ///
    /// - Parameters:
    ///   - value: The value to write, or `nil`, which is passed to the underlying source unchanged.
    ///   - query: The query, which is passed to the underlying source unchanged.
    /// - Returns: A future that settles with the value that a read would return. It fails with the error of the underlying source or the
    ///   mapper.
    @inlinable
    @discardableResult
    public func put(_ value: Out?, in query: any KeyQuery) -> Future<Out> { putter.put(value, in: query) }

    /// Maps each element, writes the list, and maps the list that the underlying source returned.
    ///
    /// - Parameters:
    ///   - values: The complete list to write.
    ///   - query: The query, which is passed to the underlying source unchanged.
    /// - Returns: A future that settles with the list that a read would return. It fails with the error of the underlying source or the
    ///   mapper.
    @discardableResult
    public func putAll(_ values: [Out], in query: any StoreQuery) -> Future<[Out]> {
        putter.putAll(values, in: query)
    }

    /// Deletes values from the underlying source.
    ///
    /// - Parameter query: The query, which is passed to the underlying source unchanged.
    /// - Returns: The future that the underlying source returns.
    @discardableResult
    public func delete(_ query: any StoreQuery) -> Future<Void> { deleteIn(query) }
}

extension DataSourceMapper: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Atomically reads and maps a value, changes the mapped value with a closure, and writes the result back.
    ///
    /// - Parameters:
    ///   - query: The query, which is passed to the underlying source unchanged.
    ///   - change: A closure that changes the mapped value. The underlying source may call the closure more than once.
    /// - Returns: A future that settles with the changed value. It fails with `CoreError.NotImplemented` if the underlying source does not
    ///   support updates.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout Out?) throws -> Void
    ) -> Future<Out?> { abilities.update(query, change) }

    /// Returns all single values of the underlying source, mapped, with their keys.
    ///
    /// Lists are omitted.
    ///
    /// - Returns: A future that settles with the entries. It fails with `CoreError.NotImplemented` if the underlying source can't list its
    ///   entries.
    public func entries() -> Future<[DataSourceEntry<Out>]> { abilities.entries() }

    /// Returns the changes that the underlying source reports, with mapped values.
    ///
    /// A value that can't be mapped is reported as deleted.
    ///
    /// - Parameter query: A query that selects the keys to observe.
    /// - Returns: A sequence of changes. Iterate it only once.
    /// - Throws: `CoreError.NotImplemented` if the underlying source can't be observed.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<Out> { try abilities.changes(query) }
}

extension DataSourceMapper: PlacedDataSource {
    /// The storage location of the values, as reported by the underlying source.
    public var storedOrigin: StoredOrigin { abilities.origin }
}
