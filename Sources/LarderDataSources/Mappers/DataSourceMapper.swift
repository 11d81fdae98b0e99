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
public struct DataSourceMapper<In, Out>: GetDataSource, PutDataSource, DeleteDataSource, Sendable {
    private let getIn: @Sendable (any KeyQuery) -> Future<In>
    private let getAllIn: @Sendable (any KeyQuery) -> Future<[In]>
    private let putIn: @Sendable (In?, any KeyQuery) -> Future<In>
    private let putAllIn: @Sendable ([In], any KeyQuery) -> Future<[In]>
    private let deleteIn: @Sendable (any KeyQuery) -> Future<Void>
    private let toIn: any Mapper<Out, In>
    private let toOut: any Mapper<In, Out>

    /// A data source that maps.
    ///
    /// - Parameters:
    ///   - dataSource: Where the mapped values are kept.
    ///   - toInMapper: Maps what is put to what is kept.
    ///   - toOutMapper: Maps what is kept to what is got.
    public init<Source: GetDataSource & PutDataSource & DeleteDataSource & Sendable>(
        dataSource: Source,
        toInMapper: any Mapper<Out, In>,
        toOutMapper: any Mapper<In, Out>
    )
    where
        Source.T == In, Source.GetQuery == any KeyQuery, Source.PutQuery == any KeyQuery,
        Source.DeleteQuery == any KeyQuery
    {
        getIn = { dataSource.get($0) }
        getAllIn = { dataSource.getAll($0) }
        putIn = { dataSource.put($0, in: $1) }
        putAllIn = { dataSource.putAll($0, in: $1) }
        deleteIn = { dataSource.delete($0) }
        toIn = toInMapper
        toOut = toOutMapper
    }

    /// Reads one value and maps it out.
    ///
    /// - Parameter query: Given to the inner source as it is.
    /// - Returns: The mapped value, or the error of the inner source or of the mapper.
    public func get(_ query: any KeyQuery) -> Future<Out> { getIn(query).map(toOut.map) }

    /// Reads a list and maps each element out.
    ///
    /// - Parameter query: Given to the inner source as it is.
    /// - Returns: The mapped list, or the error of the inner source or of the mapper.
    public func getAll(_ query: any KeyQuery) -> Future<[Out]> { getAllIn(query).map { try $0.map(toOut.map) } }

    /// Maps a value in, writes it, and maps what the inner source returned back out.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` is given to the inner source.
    ///   - query: Given to the inner source as it is.
    /// - Returns: The value as it would be read again, or the error of the inner source or of a mapper.
    @discardableResult
    public func put(_ value: Out?, in query: any KeyQuery) -> Future<Out> {
        do {
            return putIn(try value.map(toIn.map), query).map(toOut.map)
        } catch {
            return Future(error: error)
        }
    }

    /// Maps each element in, writes the list, and maps what the inner source returned back out.
    ///
    /// - Parameters:
    ///   - values: The whole list.
    ///   - query: Given to the inner source as it is.
    /// - Returns: The list as it would be read again, or the error of the inner source or of a mapper.
    @discardableResult
    public func putAll(_ values: [Out], in query: any KeyQuery) -> Future<[Out]> {
        do {
            return putAllIn(try values.map(toIn.map), query).map { try $0.map(toOut.map) }
        } catch {
            return Future(error: error)
        }
    }

    /// Deletes from the inner source.
    ///
    /// - Parameter query: Given to the inner source as it is.
    /// - Returns: What the inner source returned.
    @discardableResult
    public func delete(_ query: any KeyQuery) -> Future<Void> { deleteIn(query) }
}
