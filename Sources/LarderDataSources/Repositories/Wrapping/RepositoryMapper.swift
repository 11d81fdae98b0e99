/// A repository of one type over a repository of another; queries and operations go through untouched.
///
/// A mapper that throws on the way in fails the call, and the inner repository is not asked.
public struct RepositoryMapper<Inner: GetRepository, Out: Sendable>: GetRepository {
    private let repository: Inner
    private let toIn: any Mapper<Out, Inner.T>
    private let toOut: any Mapper<Inner.T, Out>

    /// A repository that maps.
    ///
    /// - Parameters:
    ///   - repository: What is asked.
    ///   - toInMapper: Maps what is put to what is kept.
    ///   - toOutMapper: Maps what is kept to what is got.
    public init(
        repository: Inner,
        toInMapper: any Mapper<Out, Inner.T>,
        toOutMapper: any Mapper<Inner.T, Out>
    ) {
        self.repository = repository
        toIn = toInMapper
        toOut = toOutMapper
    }

    /// Reads one value and maps it out.
    public func get(_ query: Inner.GetQuery, operation: RepositoryOperation) -> Future<Out> {
        repository.get(query, operation: operation).mapped(by: toOut)
    }

    /// Reads a list and maps each element out.
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
    /// Maps a value in, writes it, and maps what the inner repository returned back out.
    @discardableResult
    public func put(_ value: Out?, in query: Inner.PutQuery, operation: RepositoryOperation) -> Future<Out> {
        mapped(try value.map { try toIn.map($0) }) {
            repository.put($0, in: query, operation: operation).mapped(by: toOut)
        }
    }

    /// Maps each element in, writes the list, and maps what the inner repository returned back out.
    @discardableResult
    public func putAll(_ values: [Out], in query: Inner.PutAllQuery, operation: RepositoryOperation) -> Future<[Out]> {
        mapped(try toIn.map(values)) {
            repository.putAll($0, in: query, operation: operation).mapped(byEach: toOut)
        }
    }
}

extension RepositoryMapper: DeleteRepository where Inner: DeleteRepository {
    /// Deletes from the inner repository.
    @discardableResult
    public func delete(_ query: Inner.DeleteQuery, operation: RepositoryOperation) -> Future<Void> {
        repository.delete(query, operation: operation)
    }
}
