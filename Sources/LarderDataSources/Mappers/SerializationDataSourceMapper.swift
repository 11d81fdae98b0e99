public import Foundation
public import LarderCore

/// A data source that stores models in a source of strings or bytes.
///
/// Each model and each list is stored as one value.
///
/// ```swift
/// let items = SerializationDataSourceMapper(
///     texts, texts, texts,
///     StringToModelMapper(Item.self), StringToListModelMapper([Item].self),
///     ModelToStringMapper<Item>(), ListModelToStringMapper<Item>())
/// ```
///
/// `texts.codable(Item.self)` is a shorthand. Reading a value that can't be decoded fails with `CoreError.DataSerialization` and leaves the
/// stored value unchanged.
public struct SerializationDataSourceMapper<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    private let getOne: @Sendable (any KeyQuery) -> Future<T>
    private let getList: @Sendable (any KeyQuery) -> Future<[T]>
    private let putOne: @Sendable (T?, any KeyQuery) -> Future<T>
    private let putList: @Sendable ([T], any KeyQuery) -> Future<[T]>
    private let deleteIn: @Sendable (any StoreQuery) -> Future<Void>
    /// The optional methods of the source for writing, such as `update`.
    private let writing: SourceAbilities<T>
    private let reading: SourceAbilities<T>

    /// Creates a data source that stores encoded models in other sources.
    ///
    /// A query that one of the sources does not support fails with `CoreError.QueryNotSupported`.
    ///
    /// - Parameters:
    ///   - getDataSource: The source for reading encoded values.
    ///   - putDataSource: The source for writing encoded values.
    ///   - deleteDataSource: The source for deleting values.
    ///   - toOut: A mapper that decodes a model.
    ///   - toOutList: A mapper that decodes a list.
    ///   - toIn: A mapper that encodes a model.
    ///   - toInFromList: A mapper that encodes a list.
    public init<G: GetDataSource, P: PutDataSource, D: DeleteDataSource>(
        _ getDataSource: G,
        _ putDataSource: P,
        _ deleteDataSource: D,
        _ toOut: any Mapper<G.T, T>,
        _ toOutList: any Mapper<G.T, [T]>,
        _ toIn: any Mapper<T, G.T>,
        _ toInFromList: any Mapper<[T], G.T>
    ) where P.T == G.T {
        typealias In = G.T
        @Sendable func get(_ query: any KeyQuery) -> Future<In> {
            narrowed(query, for: G.self) { getDataSource.get($0) }
        }
        @Sendable func put(_ value: In?, _ query: any KeyQuery) -> Future<In> {
            narrowed(query, for: P.self) { putDataSource.put(value, in: $0) }
        }
        getOne = { get($0).mapped(by: toOut) }
        getList = { get($0).mapped(by: toOutList) }
        putOne = { value, query in
            do {
                return put(try value.map { try toIn.map($0) }, query).mapped(by: toOut)
            } catch {
                return Future(error: error)
            }
        }
        putList = { values, query in
            do {
                return put(try toInFromList.map(values), query).mapped(by: toOutList)
            } catch {
                return Future(error: error)
            }
        }
        deleteIn = { query in narrowed(query, for: D.self) { deleteDataSource.delete($0) } }
        @Sendable func mapped(_ changes: DataSourceChanges<In>) -> DataSourceChanges<T> {
            changes.mapped { change in
                switch change {
                case .value(let value, let key):
                    do { return .value(try toOut.map(value), key: key) } catch {
                        return .list(try toOutList.map(value), key: key)
                    }
                // A list of models is stored as one encoded value, so a list of encoded values is not a list of models.
                case .list(_, let key), .gone(let key): return .gone(key: key)
                case .missed(let count): return .missed(count)
                }
            }
        }
        writing = SourceAbilities<In>(putDataSource).mapped(in: toIn, out: toOut, changes: mapped)
        reading = SourceAbilities<In>(getDataSource).mapped(in: toIn, out: toOut, changes: mapped)
    }

    /// Reads an encoded value and decodes it as a model.
    public func get(_ query: any KeyQuery) -> Future<T> { getOne(query) }

    /// Reads an encoded value and decodes it as a list.
    public func getAll(_ query: any KeyQuery) -> Future<[T]> { getList(query) }

    /// Encodes a model, writes it, and decodes the value that the underlying source returned.
    @discardableResult
    public func put(_ value: T?, in query: any KeyQuery) -> Future<T> { putOne(value, query) }

    /// Encodes a list as one value, writes it, and decodes the value that the underlying source returned.
    @discardableResult
    public func putAll(_ values: [T], in query: any KeyQuery) -> Future<[T]> { putList(values, query) }

    /// Deletes values from the underlying source.
    @discardableResult
    public func delete(_ query: any StoreQuery) -> Future<Void> { deleteIn(query) }
}

extension SerializationDataSourceMapper: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Atomically changes a model in the source for writing.
    ///
    /// - Parameters:
    ///   - query: The query, which is passed to the underlying source unchanged.
    ///   - change: A closure that changes the model. The underlying source may call the closure more than once.
    /// - Returns: A future that settles with the changed model. It fails with `CoreError.NotImplemented` if the source does not support
    ///   updates. It fails with `CoreError.DataSerialization`, and the value stays unchanged, if the stored value is not a model.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> { writing.update(query, change) }

    /// Returns all models with their keys.
    ///
    /// - Returns: A future that settles with the entries. It fails with `CoreError.NotImplemented` if the source for reading can't list its
    ///   entries, and with `CoreError.DataSerialization` if a value is not a single model.
    public func entries() -> Future<[DataSourceEntry<T>]> { reading.entries() }

    /// Returns the changes to models and lists in the source for reading.
    ///
    /// A value that is neither a model nor a list is reported as deleted.
    ///
    /// - Parameter query: A query that selects the keys to observe.
    /// - Returns: A sequence of changes. Iterate it only once.
    /// - Throws: `CoreError.NotImplemented` if the source can't be observed.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<T> { try reading.changes(query) }
}

extension GetDataSource
where
    Self: PutDataSource & DeleteDataSource, T == String, GetQuery == any KeyQuery, PutQuery == any KeyQuery,
    DeleteQuery == any StoreQuery
{
    /// Returns a data source that stores models as strings in this source.
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - format: The format of the strings. It must produce UTF-8. The default is JSON.
    /// - Returns: A source that stores each model and each list as one string.
    public func codable<Model: Codable & Sendable>(
        _ type: Model.Type = Model.self,
        format: CodableFormat = .json
    ) -> SerializationDataSourceMapper<Model> {
        SerializationDataSourceMapper(
            self,
            self,
            self,
            StringToModelMapper(Model.self, format: format),
            StringToListModelMapper([Model].self, format: format),
            ModelToStringMapper<Model>(format: format),
            ListModelToStringMapper<Model>(format: format)
        )
    }
}

extension GetDataSource
where
    Self: PutDataSource & DeleteDataSource, T == Data, GetQuery == any KeyQuery, PutQuery == any KeyQuery,
    DeleteQuery == any StoreQuery
{
    /// Returns a data source that stores models as bytes in this source.
    ///
    /// - Parameters:
    ///   - type: The type of the models.
    ///   - format: The format of the bytes. The default is JSON.
    /// - Returns: A source that stores each model and each list as one `Data` value.
    public func codable<Model: Codable & Sendable>(
        _ type: Model.Type = Model.self,
        format: CodableFormat = .json
    ) -> SerializationDataSourceMapper<Model> {
        SerializationDataSourceMapper(
            self,
            self,
            self,
            DataToDecodableMapper(Model.self, format),
            DataToDecodableMapper([Model].self, format),
            EncodableToDataMapper<Model>(format),
            EncodableToDataMapper<[Model]>(format)
        )
    }
}

extension SerializationDataSourceMapper: PlacedDataSource {
    /// The storage location that the source for reading reports for its values.
    public var storedOrigin: StoredOrigin { reading.origin }
}
