public import LarderCore

/// A data source of one type over a data source of another: how to keep a type of your own in a storage of compatible ones.
///
/// ```swift
/// let items = DataSourceMapper<String, Item>(
///     dataSource: DeviceStorageDataSource<String>(prefix: "Item"),
///     toInMapper: ItemToText(), toOutMapper: TextToItem())
/// try items.put(item, forId: "1").get()
/// ```
///
/// Queries and deletions go through untouched. A write maps the value in, stores it, and maps what the storage returned back
/// out; an error of a mapper is the failure of the call, and a mapper that throws on the way in leaves the storage unchanged.
public struct DataSourceMapper<In: Sendable, Out: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    @usableFromInline let getter: GetDataSourceMapper<In, Out>
    @usableFromInline let putter: PutDataSourceMapper<In, Out>
    @usableFromInline let deleteIn: @Sendable (any StorageQuery) -> Future<Void>
    @usableFromInline let abilities: SourceAbilities<Out>

    /// A data source that maps.
    ///
    /// A key query, or one for several keys, that `dataSource` does not take fails with `CoreError.QueryNotSupported`.
    ///
    /// - Parameters:
    ///   - dataSource: Where the mapped values are kept.
    ///   - toInMapper: Maps what is put to what is kept.
    ///   - toOutMapper: Maps what is kept to what is got.
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

    /// Reads one value and maps it out.
    ///
    /// - Parameter query: Given to the inner source as it is.
    /// - Returns: The mapped value, or the error of the inner source or of the mapper.
    @inlinable
    public func get(_ query: any KeyQuery) -> Future<Out> { getter.get(query) }

    /// Reads a list and maps each element out.
    ///
    /// - Parameter query: Given to the inner source as it is.
    /// - Returns: The mapped list, or the error of the inner source or of the mapper.
    public func getAll(_ query: any StorageQuery) -> Future<[Out]> { getter.getAll(query) }

    /// Maps a value in, writes it, and maps what the inner source returned back out.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` is given to the inner source.
    ///   - query: Given to the inner source as it is.
    /// - Returns: The value as it would be read again, or the error of the inner source or of a mapper.
    @inlinable
    @discardableResult
    public func put(_ value: Out?, in query: any KeyQuery) -> Future<Out> { putter.put(value, in: query) }

    /// Maps each element in, writes the list, and maps what the inner source returned back out.
    ///
    /// - Parameters:
    ///   - values: The whole list.
    ///   - query: Given to the inner source as it is.
    /// - Returns: The list as it would be read again, or the error of the inner source or of a mapper.
    @discardableResult
    public func putAll(_ values: [Out], in query: any StorageQuery) -> Future<[Out]> {
        putter.putAll(values, in: query)
    }

    /// Deletes from the inner source.
    ///
    /// - Parameter query: Given to the inner source as it is.
    /// - Returns: What the inner source returned.
    @discardableResult
    public func delete(_ query: any StorageQuery) -> Future<Void> { deleteIn(query) }
}

extension DataSourceMapper: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Changes one value in one step: maps it out, changes it, and maps it back in.
    ///
    /// - Parameters:
    ///   - query: Given to the inner source as it is.
    ///   - change: As the inner source calls it.
    /// - Returns: The value as it is now. Fails with `CoreError.NotImplemented` where the inner source has no `update`.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout Out?) throws -> Void
    ) -> Future<Out?> { abilities.update(query, change) }

    /// Every single value with its key, mapped out.
    ///
    /// - Returns: The entries. Fails with `CoreError.NotImplemented` where the inner source can't list them.
    public func entries() -> Future<[DataSourceEntry<Out>]> { abilities.entries() }

    /// What changes from now on in the inner source, mapped out; a key whose value does not map is told as gone.
    ///
    /// - Parameter query: Which keys.
    /// - Returns: A sequence for one reader.
    /// - Throws: `CoreError.NotImplemented` where the inner source does not tell.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<Out> { try abilities.changes(query) }
}

extension DataSourceMapper: PlacedDataSource {
    /// Where the source behind it has its values.
    public var storedOrigin: StoredOrigin { abilities.origin }
}
