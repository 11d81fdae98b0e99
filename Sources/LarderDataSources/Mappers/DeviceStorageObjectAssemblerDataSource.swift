public import LarderCore

/// A data source that stores models as strings in device storage, with the interface of an earlier version of Harmony.
@available(*, deprecated, message: "Use SerializationDataSourceMapper instead.")
public struct DeviceStorageObjectAssemblerDataSource<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    private let mapper: SerializationDataSourceMapper<T>

    /// Creates a data source that stores models as strings in device storage.
    ///
    /// - Parameters:
    ///   - toString: A mapper that encodes a model as a string.
    ///   - toModel: A mapper that decodes a model from a string.
    ///   - toStringFromList: A mapper that encodes a list as a string.
    ///   - toModelFromList: A mapper that decodes a list from a string.
    ///   - deviceStorageDataSource: The source that holds the strings.
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

    /// Reads a stored string and decodes it as a model.
    public func get(_ query: any KeyQuery) -> Future<T> { mapper.get(query) }

    /// Reads a stored string and decodes it as a list of models.
    public func getAll(_ query: any KeyQuery) -> Future<[T]> { mapper.getAll(query) }

    /// Encodes a model as a string and stores the string.
    @discardableResult
    public func put(_ value: T?, in query: any KeyQuery) -> Future<T> { mapper.put(value, in: query) }

    /// Encodes a list of models as a string and stores the string.
    @discardableResult
    public func putAll(_ values: [T], in query: any KeyQuery) -> Future<[T]> { mapper.putAll(values, in: query) }

    /// Deletes values from the device storage.
    @discardableResult
    public func delete(_ query: any StoreQuery) -> Future<Void> { mapper.delete(query) }
}

@available(*, deprecated, message: "Use SerializationDataSourceMapper instead.")
extension DeviceStorageObjectAssemblerDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Changes a model atomically.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> { mapper.update(query, change) }

    /// Returns all models with their keys.
    public func entries() -> Future<[DataSourceEntry<T>]> { mapper.entries() }

    /// Returns the changes to the models that a query selects.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<T> { try mapper.changes(for: query) }
}

@available(*, deprecated, message: "Use SerializationDataSourceMapper instead.")
extension DeviceStorageObjectAssemblerDataSource: PlacedDataSource {
    /// The storage location of the values, as reported by the device storage.
    public var storedOrigin: StoredOrigin { mapper.storedOrigin }
}
