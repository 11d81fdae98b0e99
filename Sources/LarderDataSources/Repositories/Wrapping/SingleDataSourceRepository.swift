import LarderCore

/// A repository that uses a single source for all operations.
public struct SingleDataSourceRepository<Source: DataSource>: Sendable {
    private let source: Source

    /// Creates a repository from a source.
    public init(_ source: Source) { self.source = source }
}

extension SingleDataSourceRepository: GetRepository where Source: GetDataSource {
    /// Reads a value from the source.
    public func get(_ query: Source.GetQuery, operation: RepositoryOperation) -> Future<Source.T> { source.get(query) }
    /// Reads a list from the source.
    public func getAll(_ query: Source.GetAllQuery, operation: RepositoryOperation) -> Future<[Source.T]> {
        source.getAll(query)
    }
}

extension SingleDataSourceRepository: PutRepository where Source: PutDataSource {
    /// Writes a value to the source.
    @discardableResult
    public func put(
        _ value: Source.T?,
        in query: Source.PutQuery,
        operation: RepositoryOperation
    ) -> Future<Source.T> { source.put(value, in: query) }
    /// Writes a list to the source.
    @discardableResult
    public func putAll(
        _ values: [Source.T],
        in query: Source.PutAllQuery,
        operation: RepositoryOperation
    ) -> Future<[Source.T]> { source.putAll(values, in: query) }
}

extension SingleDataSourceRepository: DeleteRepository where Source: DeleteDataSource {
    /// Deletes values from the source.
    @discardableResult
    public func delete(_ query: Source.DeleteQuery, operation: RepositoryOperation) -> Future<Void> {
        source.delete(query)
    }
}

extension DataSource {
    /// Returns a repository with this source as its only source.
    ///
    /// - Returns: The repository.
    public func asRepository() -> SingleDataSourceRepository<Self> { SingleDataSourceRepository(self) }
}
