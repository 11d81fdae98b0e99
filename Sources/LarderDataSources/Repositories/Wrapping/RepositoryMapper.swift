/// A repository that maps the values of another repository to a different type.
///
/// Queries and operations are forwarded unchanged. If a mapper fails before a write, the call fails and the underlying repository is not
/// called.
public struct RepositoryMapper<Inner: GetRepository, Out: Sendable>: GetRepository {
    private let repository: Inner
    private let toIn: any Mapper<Out, Inner.T>
    private let toOut: any Mapper<Inner.T, Out>

    /// Creates a repository that maps values.
    ///
    /// - Parameters:
    ///   - repository: The repository that holds the values.
    ///   - toInMapper: A mapper that converts values to the value type of `repository` before a write.
    ///   - toOutMapper: A mapper that converts values from the value type of `repository` after a read or a write.
    public init(
        repository: Inner,
        toInMapper: any Mapper<Out, Inner.T>,
        toOutMapper: any Mapper<Inner.T, Out>
    ) {
        self.repository = repository
        toIn = toInMapper
        toOut = toOutMapper
    }

    /// Reads a value from the underlying repository and maps the value to type `Out`.
    public func get(_ query: Inner.GetQuery, operation: RepositoryOperation) -> Future<Out> {
        repository.get(query, operation: operation).mapped(by: toOut)
    }

    /// Reads a list from the underlying repository and maps each element to type `Out`.
    public func getAll(_ query: Inner.GetAllQuery, operation: RepositoryOperation) -> Future<[Out]> {
        repository.getAll(query, operation: operation).mapped(byEach: toOut)
    }
}

extension RepositoryMapper where Inner: PutRepository {
    fileprivate func mapped<Value, Result>(
        _ value: @autoclosure () throws -> Value,
        _ write: (Value) -> Future<Result>
    ) -> Future<Result> {
        do { return write(try value()) } catch { return Future(error: error) }
    }
}

extension RepositoryMapper: PutRepository where Inner: PutRepository {
    /// Maps a value, writes the result to the underlying repository, and maps the returned value back.
    @discardableResult
    public func put(_ value: Out?, in query: Inner.PutQuery, operation: RepositoryOperation) -> Future<Out> {
        mapped(try value.map { try toIn.map($0) }) {
            repository.put($0, in: query, operation: operation).mapped(by: toOut)
        }
    }

    /// Maps each element, writes the list to the underlying repository, and maps the returned list back.
    @discardableResult
    public func putAll(_ values: [Out], in query: Inner.PutAllQuery, operation: RepositoryOperation) -> Future<[Out]> {
        mapped(try toIn.map(values)) {
            repository.putAll($0, in: query, operation: operation).mapped(byEach: toOut)
        }
    }
}

extension RepositoryMapper: DeleteRepository where Inner: DeleteRepository {
    /// Deletes values from the underlying repository.
    @discardableResult
    public func delete(_ query: Inner.DeleteQuery, operation: RepositoryOperation) -> Future<Void> {
        repository.delete(query, operation: operation)
    }
}
