public import LarderCore

/// A data source that reads from a get source, writes to a put source, and deletes from a delete source.
public struct DataSourceAssembler<Get: GetDataSource, Put: PutDataSource, Delete: DeleteDataSource>:
    GetDataSource, PutDataSource, DeleteDataSource
where Get.T == Put.T {
    private let getter: Get
    private let putter: Put
    private let deleter: Delete

    /// Creates a data source from a get source, a put source and a delete source.
    ///
    /// - Parameters:
    ///   - getDataSource: The source from which values are read.
    ///   - putDataSource: The source to which values are written.
    ///   - deleteDataSource: The source from which values are deleted.
    public init(get getDataSource: Get, put putDataSource: Put, delete deleteDataSource: Delete) {
        getter = getDataSource
        putter = putDataSource
        deleter = deleteDataSource
    }

    /// Reads a value from the get source.
    public func get(_ query: Get.GetQuery) -> Future<Get.T> { getter.get(query) }
    /// Reads a list from the get source.
    public func getAll(_ query: Get.GetAllQuery) -> Future<[Get.T]> { getter.getAll(query) }
    /// Writes a value to the put source.
    @discardableResult
    public func put(_ value: Get.T?, in query: Put.PutQuery) -> Future<Get.T> { putter.put(value, in: query) }
    /// Writes a list to the put source.
    @discardableResult
    public func putAll(_ values: [Get.T], in query: Put.PutAllQuery) -> Future<[Get.T]> {
        putter.putAll(values, in: query)
    }
    /// Deletes values from the delete source.
    @discardableResult
    public func delete(_ query: Delete.DeleteQuery) -> Future<Void> { deleter.delete(query) }
}

extension DataSourceAssembler where Put == VoidDataSource<Get.T>, Delete == VoidDataSource<Get.T> {
    /// Creates a read-only data source from a get source.
    ///
    /// Writes and deletions fail with `CoreError.NotImplemented`.
    public init(get getDataSource: Get) {
        self.init(get: getDataSource, put: VoidDataSource(), delete: VoidDataSource())
    }
}

extension DataSourceAssembler: UpdateDataSource where Put: UpdateDataSource {
    /// Changes a value atomically in the put source.
    @discardableResult
    public func update(
        _ query: Put.UpdateQuery,
        _ change: @escaping @Sendable (inout Get.T?) throws -> Void
    ) -> Future<Get.T?> { putter.update(query, change) }
}

extension DataSourceAssembler: EntriesDataSource where Get: EntriesDataSource {
    /// Returns all values of the get source except lists, with their keys.
    public func entries() -> Future<[DataSourceEntry<Get.T>]> { getter.entries() }
}

extension DataSourceAssembler: ObservableDataSource where Get: ObservableDataSource {
    /// Returns the changes that the get source reports.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<Get.T> {
        try getter.changes(for: query)
    }
}

extension DataSourceAssembler: PlacedDataSource {
    /// The storage location that the get source reports for its values.
    public var storedOrigin: StoredOrigin { .of(getter) }
}
