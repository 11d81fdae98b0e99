public import LarderCore

/// One source made of up to three, one for each verb.
public struct DataSourceAssembler<Get: GetDataSource, Put: PutDataSource, Delete: DeleteDataSource>:
    GetDataSource, PutDataSource, DeleteDataSource
where Get.T == Put.T {
    private let getter: Get
    private let putter: Put
    private let deleter: Delete

    /// One source of three.
    ///
    /// - Parameters:
    ///   - getDataSource: Reads.
    ///   - putDataSource: Writes.
    ///   - deleteDataSource: Deletes.
    public init(get getDataSource: Get, put putDataSource: Put, delete deleteDataSource: Delete) {
        getter = getDataSource
        putter = putDataSource
        deleter = deleteDataSource
    }

    /// Reads one value from the source that reads.
    public func get(_ query: Get.GetQuery) -> Future<Get.T> { getter.get(query) }
    /// Reads a list from the source that reads.
    public func getAll(_ query: Get.GetAllQuery) -> Future<[Get.T]> { getter.getAll(query) }
    /// Writes one value to the source that writes.
    @discardableResult
    public func put(_ value: Get.T?, in query: Put.PutQuery) -> Future<Get.T> { putter.put(value, in: query) }
    /// Writes a list to the source that writes.
    @discardableResult
    public func putAll(_ values: [Get.T], in query: Put.PutAllQuery) -> Future<[Get.T]> {
        putter.putAll(values, in: query)
    }
    /// Deletes from the source that deletes.
    @discardableResult
    public func delete(_ query: Delete.DeleteQuery) -> Future<Void> { deleter.delete(query) }
}

extension DataSourceAssembler where Put == VoidDataSource<Get.T>, Delete == VoidDataSource<Get.T> {
    /// A source that reads; its other verbs fail with `CoreError.NotImplemented`.
    public init(get getDataSource: Get) {
        self.init(get: getDataSource, put: VoidDataSource(), delete: VoidDataSource())
    }
}

extension DataSourceAssembler: UpdateDataSource where Put: UpdateDataSource {
    /// Changes one value in one step in the source that writes.
    @discardableResult
    public func update(
        _ query: Put.UpdateQuery,
        _ change: @escaping @Sendable (inout Get.T?) throws -> Void
    ) -> Future<Get.T?> { putter.update(query, change) }
}

extension DataSourceAssembler: EntriesDataSource where Get: EntriesDataSource {
    /// Every single value of the source that reads, with its key.
    public func entries() -> Future<[DataSourceEntry<Get.T>]> { getter.entries() }
}

extension DataSourceAssembler: ObservableDataSource where Get: ObservableDataSource {
    /// What changes from now on in the source that reads.
    public func changes(for query: any StorageQuery) throws -> DataSourceChanges<Get.T> {
        try getter.changes(for: query)
    }
}

extension DataSourceAssembler: PlacedDataSource {
    /// Where the source that reads has its values.
    public var storedOrigin: StoredOrigin { .of(getter) }
}
