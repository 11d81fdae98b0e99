public import LarderCore

/// A source of models over a device storage of texts, as an earlier version of the documents wrote it.
@available(*, deprecated, message: "Use SerializationDataSourceMapper instead.")
public struct DeviceStorageObjectAssemblerDataSource<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    private let mapper: SerializationDataSourceMapper<T>

    /// A source that serialises.
    ///
    /// - Parameters:
    ///   - toString: Maps a model to text.
    ///   - toModel: Maps text to a model.
    ///   - toStringFromList: Maps a list to text.
    ///   - toModelFromList: Maps text to a list.
    ///   - deviceStorageDataSource: Where the texts are kept.
    public init(
        _ toString: any Mapper<T, String>,
        _ toModel: any Mapper<String, T>,
        _ toStringFromList: any Mapper<[T], String>,
        _ toModelFromList: any Mapper<String, [T]>,
        _ deviceStorageDataSource: DeviceStorageDataSource<String>
    ) {
        mapper = SerializationDataSourceMapper(
            deviceStorageDataSource,
            deviceStorageDataSource,
            deviceStorageDataSource,
            toModel,
            toModelFromList,
            toString,
            toStringFromList
        )
    }

    /// Reads a text and maps it to a model.
    public func get(_ query: any KeyQuery) -> Future<T> { mapper.get(query) }

    /// Reads a text and maps it to a list.
    public func getAll(_ query: any KeyQuery) -> Future<[T]> { mapper.getAll(query) }

    /// Maps a model to text and writes it.
    @discardableResult
    public func put(_ value: T?, in query: any KeyQuery) -> Future<T> { mapper.put(value, in: query) }

    /// Maps a list to text and writes it.
    @discardableResult
    public func putAll(_ values: [T], in query: any KeyQuery) -> Future<[T]> { mapper.putAll(values, in: query) }

    /// Deletes from the device storage.
    @discardableResult
    public func delete(_ query: any StorageQuery) -> Future<Void> { mapper.delete(query) }
}

@available(*, deprecated, message: "Use SerializationDataSourceMapper instead.")
extension DeviceStorageObjectAssemblerDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Changes one model in one step.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> { mapper.update(query, change) }

    /// Every single model with its key.
    public func entries() -> Future<[DataSourceEntry<T>]> { mapper.entries() }

    /// What changes from now on.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<T> { try mapper.changes(for: query) }
}

@available(*, deprecated, message: "Use SerializationDataSourceMapper instead.")
extension DeviceStorageObjectAssemblerDataSource: PlacedDataSource {
    /// Where the device storage has its values.
    public var storedOrigin: StoredOrigin { mapper.storedOrigin }
}
