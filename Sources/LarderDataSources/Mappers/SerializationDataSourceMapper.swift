public import Foundation
public import LarderCore

/// A source of models over a source of text or bytes: a single model is one value, and so is a whole list.
///
/// ```swift
/// let items = SerializationDataSourceMapper(
///     texts, texts, texts,
///     StringToModelMapper(Item.self), StringToListModelMapper([Item].self),
///     ModelToStringMapper<Item>(), ListModelToStringMapper<Item>())
/// ```
///
/// `texts.codable(Item.self)` is the short way. What can't be decoded is `CoreError.DataSerialization`, and stays as it is.
public struct SerializationDataSourceMapper<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    private let getOne: @Sendable (any KeyQuery) -> Future<T>
    private let getList: @Sendable (any KeyQuery) -> Future<[T]>
    private let putOne: @Sendable (T?, any KeyQuery) -> Future<T>
    private let putList: @Sendable ([T], any KeyQuery) -> Future<[T]>
    private let deleteIn: @Sendable (any StorageQuery) -> Future<Void>
    /// Of the source that writes, to update, and of the one that reads.
    private let writing: SourceAbilities<T>
    private let reading: SourceAbilities<T>

    /// A source that serialises.
    ///
    /// A query that one of them does not take fails with `CoreError.QueryNotSupported`.
    ///
    /// - Parameters:
    ///   - getDataSource: Reads what is kept.
    ///   - putDataSource: Writes what is kept.
    ///   - deleteDataSource: Deletes what is kept.
    ///   - toOut: Maps what is kept to a model.
    ///   - toOutList: Maps what is kept to a list.
    ///   - toIn: Maps a model to what is kept.
    ///   - toInFromList: Maps a list to what is kept.
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
                // A list of what is kept is none of ours: a list of models is one value.
                case .list(_, let key), .gone(let key): return .gone(key: key)
                case .missed(let count): return .missed(count)
                }
            }
        }
        writing = SourceAbilities<In>(putDataSource).mapped(in: toIn, out: toOut, changes: mapped)
        reading = SourceAbilities<In>(getDataSource).mapped(in: toIn, out: toOut, changes: mapped)
    }

    /// Reads what is kept and maps it to a model.
    public func get(_ query: any KeyQuery) -> Future<T> { getOne(query) }

    /// Reads what is kept, one value, and maps it to a list.
    public func getAll(_ query: any KeyQuery) -> Future<[T]> { getList(query) }

    /// Maps a model, writes it, and maps what the inner source returned back.
    @discardableResult
    public func put(_ value: T?, in query: any KeyQuery) -> Future<T> { putOne(value, query) }

    /// Maps a list to one value, writes it, and maps what the inner source returned back.
    @discardableResult
    public func putAll(_ values: [T], in query: any KeyQuery) -> Future<[T]> { putList(values, query) }

    /// Deletes from the inner source.
    @discardableResult
    public func delete(_ query: any StorageQuery) -> Future<Void> { deleteIn(query) }
}

extension SerializationDataSourceMapper: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Changes one model in one step, in the source that writes.
    ///
    /// - Parameters:
    ///   - query: Given to that source as it is.
    ///   - change: As that source calls it.
    /// - Returns: The model as it is now. Fails with `CoreError.NotImplemented` where that source has no `update`, and with
    ///   `CoreError.DataSerialization`, changing nothing, where what is there is no model.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> { writing.update(query, change) }

    /// Every single model with its key.
    ///
    /// - Returns: The entries. Fails with `CoreError.NotImplemented` where the source that reads can't list them, and with
    ///   `CoreError.DataSerialization` where something is no model, such as a list of them.
    public func entries() -> Future<[DataSourceEntry<T>]> { reading.entries() }

    /// What changes from now on in the source that reads: a model, a list of them, or neither, which is told as gone.
    ///
    /// - Parameter query: Which keys.
    /// - Returns: A sequence for one reader.
    /// - Throws: `CoreError.NotImplemented` where that source does not tell.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<T> { try reading.changes(query) }
}

extension GetDataSource
where
    Self: PutDataSource & DeleteDataSource, T == String, GetQuery == any KeyQuery, PutQuery == any KeyQuery,
    DeleteQuery == any StorageQuery
{
    /// A source of models over this source of texts.
    ///
    /// - Parameters:
    ///   - type: The model's type.
    ///   - format: How models are written; JSON unless given, and one whose bytes are UTF-8.
    /// - Returns: A source that keeps each model, or each list, as one text.
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
    DeleteQuery == any StorageQuery
{
    /// A source of models over this source of bytes.
    ///
    /// - Parameters:
    ///   - type: The model's type.
    ///   - format: How models are written; JSON unless given.
    /// - Returns: A source that keeps each model, or each list, as one run of bytes.
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
    /// Where the source that reads has its values.
    public var storedOrigin: StoredOrigin { reading.origin }
}
