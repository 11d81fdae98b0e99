public import LarderCore
public import LarderDataSources
import Synchronization

/// A repository that writes down what it is asked, and answers as the repository behind it or as a test tells it to.
public final class RepositorySpy<T: Sendable>: GetRepository, PutRepository, DeleteRepository {
    /// One call.
    public struct Call: Sendable, CustomStringConvertible {
        /// The name of the verb, such as `getAll`.
        public let verb: String
        /// What was asked for.
        public let query: any Query
        /// Which sources were meant.
        public let operation: RepositoryOperation
        /// The values that were given; empty for reads and deletions.
        public let values: [T]

        /// The verb, the key if it is one, and the operation.
        public var description: String {
            "\(verb) \((query as? any KeyQuery)?.key ?? "\(type(of: query))") by \(operation)"
        }
    }

    private struct State {
        var calls: [Call] = []
        var failures: [any Error] = []
    }

    private let repository: AnyRepository<T>
    private let state = Mutex(State())

    /// A spy before a repository.
    public init<Inner: GetRepository<T> & PutRepository<T> & DeleteRepository>(_ repository: Inner) {
        self.repository = AnyRepository(repository)
    }

    /// A spy before an empty repository in memory.
    public convenience init() { self.init(InMemoryDataSource<T>().asRepository()) }

    /// What was asked so far.
    public var calls: [Call] { state.withLock(\.calls) }

    /// Fails the next calls, one with each error, instead of asking the repository.
    ///
    /// - Parameter errors: In the order of the calls.
    public func failNext(_ errors: any Error...) { state.withLock { $0.failures += errors } }

    /// Reads one value.
    public func get(_ query: any Query, operation: RepositoryOperation) -> Future<T> {
        noted("get", query, operation) { repository.get(query, operation: operation) }
    }
    /// Reads a list.
    public func getAll(_ query: any Query, operation: RepositoryOperation) -> Future<[T]> {
        noted("getAll", query, operation) { repository.getAll(query, operation: operation) }
    }
    /// Writes one value.
    @discardableResult
    public func put(_ value: T?, in query: any Query, operation: RepositoryOperation) -> Future<T> {
        noted("put", query, operation, value.map { [$0] } ?? []) {
            repository.put(value, in: query, operation: operation)
        }
    }
    /// Writes a list.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query, operation: RepositoryOperation) -> Future<[T]> {
        noted("putAll", query, operation, values) { repository.putAll(values, in: query, operation: operation) }
    }
    /// Deletes.
    @discardableResult
    public func delete(_ query: any Query, operation: RepositoryOperation) -> Future<Void> {
        noted("delete", query, operation) { repository.delete(query, operation: operation) }
    }

    private func noted<Result>(
        _ verb: String,
        _ query: any Query,
        _ operation: RepositoryOperation,
        _ values: [T] = [],
        _ ask: () -> Future<Result>
    ) -> Future<Result> {
        let failure = state.withLock { state -> (any Error)? in
            state.calls.append(Call(verb: verb, query: query, operation: operation, values: values))
            return state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
        return failure.map { Future(error: $0) } ?? ask()
    }
}
