/// One repository made of up to three, one for each verb.
public struct RepositoryAssembler<Get: GetRepository, Put: PutRepository, Delete: DeleteRepository>:
    GetRepository, PutRepository, DeleteRepository
where Get.T == Put.T {
    private let getter: Get
    private let putter: Put
    private let deleter: Delete

    /// One repository of three.
    ///
    /// - Parameters:
    ///   - getRepository: Reads.
    ///   - putRepository: Writes.
    ///   - deleteRepository: Deletes.
    public init(get getRepository: Get, put putRepository: Put, delete deleteRepository: Delete) {
        getter = getRepository
        putter = putRepository
        deleter = deleteRepository
    }

    /// Reads one value from the repository that reads.
    public func get(_ query: Get.GetQuery, operation: RepositoryOperation) -> Future<Get.T> {
        getter.get(query, operation: operation)
    }
    /// Reads a list from the repository that reads.
    public func getAll(_ query: Get.GetAllQuery, operation: RepositoryOperation) -> Future<[Get.T]> {
        getter.getAll(query, operation: operation)
    }
    /// Writes one value to the repository that writes.
    @discardableResult
    public func put(_ value: Get.T?, in query: Put.PutQuery, operation: RepositoryOperation) -> Future<Get.T> {
        putter.put(value, in: query, operation: operation)
    }
    /// Writes a list to the repository that writes.
    @discardableResult
    public func putAll(_ values: [Get.T], in query: Put.PutAllQuery, operation: RepositoryOperation) -> Future<[Get.T]>
    {
        putter.putAll(values, in: query, operation: operation)
    }
    /// Deletes from the repository that deletes.
    @discardableResult
    public func delete(_ query: Delete.DeleteQuery, operation: RepositoryOperation) -> Future<Void> {
        deleter.delete(query, operation: operation)
    }
}

extension RepositoryAssembler where Put == VoidRepository<Get.T>, Delete == VoidRepository<Get.T> {
    /// A repository that reads; its other verbs fail with `CoreError.NotImplemented`.
    public init(get getRepository: Get) {
        self.init(get: getRepository, put: VoidRepository(), delete: VoidRepository())
    }
}
