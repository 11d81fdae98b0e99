public import LarderCore

/// A data source that uses one source for reading, one for writing and one for deleting.
public struct DataSourceAssembler<Get: GetDataSource, Put: PutDataSource, Delete: DeleteDataSource>:
    GetDataSource, PutDataSource, DeleteDataSource
where Get.T == Put.T {
    private let getter: Get
    private let putter: Put
    private let deleter: Delete

    /// Creates a source from three sources.
    ///
    /// - Parameters:
    ///   - getDataSource: The source for reading.
    ///   - putDataSource: The source for writing.
    ///   - deleteDataSource: The source for deleting.
    public init(get getDataSource: Get, put putDataSource: Put, delete deleteDataSource: Delete) {
        getter = getDataSource
        putter = putDataSource
        deleter = deleteDataSource
    }

    /// Reads a value using the source for reading.
    public func get(_ query: Get.GetQuery) -> Future<Get.T> { getter.get(query) }
    /// Reads a list using the source for reading.
    public func getAll(_ query: Get.GetAllQuery) -> Future<[Get.T]> { getter.getAll(query) }
    /// Writes a value using the source for writing.
    @discardableResult
    public func put(_ value: Get.T?, in query: Put.PutQuery) -> Future<Get.T> { putter.put(value, in: query) }
    /// Writes a list using the source for writing.
    @discardableResult
    public func putAll(_ values: [Get.T], in query: Put.PutAllQuery) -> Future<[Get.T]> {
        putter.putAll(values, in: query)
    }
    /// Deletes values using the source for deleting.
    @discardableResult
    public func delete(_ query: Delete.DeleteQuery) -> Future<Void> { deleter.delete(query) }
}

extension DataSourceAssembler where Put == VoidDataSource<Get.T>, Delete == VoidDataSource<Get.T> {
    /// Creates a read-only source.
    ///
    /// Writing and deleting fail with `CoreError.NotImplemented`.
    public init(get getDataSource: Get) {
        self.init(get: getDataSource, put: VoidDataSource(), delete: VoidDataSource())
    }
}

extension DataSourceAssembler: UpdateDataSource where Put: UpdateDataSource {
    /// Changes a value atomically using the source for writing.
    @discardableResult
    public func update(
        _ query: Put.UpdateQuery,
        _ change: @escaping @Sendable (inout Get.T?) throws -> Void
    ) -> Future<Get.T?> { putter.update(query, change) }
}

extension DataSourceAssembler: EntriesDataSource where Get: EntriesDataSource {
    /// Returns all values of the source for reading except lists, with their keys.
    public func entries() -> Future<[DataSourceEntry<Get.T>]> { getter.entries() }
}

extension DataSourceAssembler: ObservableDataSource where Get: ObservableDataSource {
    /// Returns the changes reported by the source for reading.
    public func changes(for query: any StoreQuery) throws -> DataSourceChanges<Get.T> {
        try getter.changes(for: query)
    }
}

extension DataSourceAssembler: PlacedDataSource {
    /// The origin reported by the source for reading.
    public var storedOrigin: StoredOrigin { .of(getter) }
}
