public import LarderCore
public import LarderDataSources
import Synchronization

/// A repository for tests that records calls and forwards them to another repository.
///
/// To inject errors, call ``failNext(_:)``.
public final class RepositorySpy<T: Sendable>: GetRepository, PutRepository, DeleteRepository {
    /// A call that the spy has recorded.
    public struct Call: Sendable, CustomStringConvertible {
        /// The name of the called method, such as `getAll`.
        public let verb: String
        /// The query that was passed to the call.
        public let query: any Query
        /// The operation that was passed to the call.
        public let operation: RepositoryOperation
        /// The values that were passed to the call.
        ///
        /// The array is empty for reads and deletions.
        public let values: [T]

        /// The method's name, followed by the query's key (or its type if the query has no key) and the operation.
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

    /// Creates a spy that forwards calls to a repository.
    public init<Inner: GetRepository<T> & PutRepository<T> & DeleteRepository>(_ repository: Inner) {
        self.repository = AnyRepository(repository)
    }

    /// Creates a spy that forwards calls to an empty in-memory repository.
    public convenience init() { self.init(InMemoryDataSource<T>().asRepository()) }

    /// The calls that the spy has recorded so far, in order.
    public var calls: [Call] { state.withLock(\.calls) }

    /// Makes the next calls fail, each with one of the given errors.
    ///
    /// - Parameter errors: The errors to fail with, in the order of the calls.
    public func failNext(_ errors: any Error...) { state.withLock { $0.failures += errors } }

    /// Records the call, then reads a value from the underlying repository.
    public func get(_ query: any Query, operation: RepositoryOperation) -> Future<T> {
        noted("get", query, operation) { repository.get(query, operation: operation) }
    }
    /// Records the call, then reads a list from the underlying repository.
    public func getAll(_ query: any Query, operation: RepositoryOperation) -> Future<[T]> {
        noted("getAll", query, operation) { repository.getAll(query, operation: operation) }
    }
    /// Records the call, then writes a value to the underlying repository.
    @discardableResult
    public func put(_ value: T?, in query: any Query, operation: RepositoryOperation) -> Future<T> {
        noted("put", query, operation, value.map { [$0] } ?? []) {
            repository.put(value, in: query, operation: operation)
        }
    }
    /// Records the call, then writes a list to the underlying repository.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query, operation: RepositoryOperation) -> Future<[T]> {
        noted("putAll", query, operation, values) { repository.putAll(values, in: query, operation: operation) }
    }
    /// Records the call, then deletes values from the underlying repository.
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
