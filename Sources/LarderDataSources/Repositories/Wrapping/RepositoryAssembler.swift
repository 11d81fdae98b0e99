/// A repository that uses one repository for reading, one for writing and one for deleting.
public struct RepositoryAssembler<Get: GetRepository, Put: PutRepository, Delete: DeleteRepository>:
    GetRepository, PutRepository, DeleteRepository
where Get.T == Put.T {
    private let getter: Get
    private let putter: Put
    private let deleter: Delete

    /// Creates a repository from three repositories.
    ///
    /// - Parameters:
    ///   - getRepository: The repository for reading.
    ///   - putRepository: The repository for writing.
    ///   - deleteRepository: The repository for deleting.
    public init(get getRepository: Get, put putRepository: Put, delete deleteRepository: Delete) {
        getter = getRepository
        putter = putRepository
        deleter = deleteRepository
    }

    /// Reads a value from the get repository.
    public func get(_ query: Get.GetQuery, operation: RepositoryOperation) -> Future<Get.T> {
        getter.get(query, operation: operation)
    }
    /// Reads a list from the get repository.
    public func getAll(_ query: Get.GetAllQuery, operation: RepositoryOperation) -> Future<[Get.T]> {
        getter.getAll(query, operation: operation)
    }
    /// Writes a value to the put repository.
    @discardableResult
    public func put(_ value: Get.T?, in query: Put.PutQuery, operation: RepositoryOperation) -> Future<Get.T> {
        putter.put(value, in: query, operation: operation)
    }
    /// Writes a list to the put repository.
    @discardableResult
    public func putAll(_ values: [Get.T], in query: Put.PutAllQuery, operation: RepositoryOperation) -> Future<[Get.T]>
    {
        putter.putAll(values, in: query, operation: operation)
    }
    /// Deletes values from the delete repository.
    @discardableResult
    public func delete(_ query: Delete.DeleteQuery, operation: RepositoryOperation) -> Future<Void> {
        deleter.delete(query, operation: operation)
    }
}

extension RepositoryAssembler where Put == VoidRepository<Get.T>, Delete == VoidRepository<Get.T> {
    /// Creates a read-only repository.
    ///
    /// Writing and deleting fail with `CoreError.NotImplemented`.
    public init(get getRepository: Get) {
        self.init(get: getRepository, put: VoidRepository(), delete: VoidRepository())
    }
}
