public import LarderCore
public import LarderDataSources
import Synchronization

/// A data source for tests that records calls and forwards them to another source.
///
/// To inject errors, call ``failNext(_:)`` or ``fail(_:with:)``.
public final class DataSourceSpy<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    /// A call that the spy has recorded.
    public struct Call: Sendable, CustomStringConvertible {
        /// The name of the called method, such as `getAll`.
        public let verb: String
        /// The query that was passed to the call.
        public let query: any Query
        /// The values that were passed to the call.
        ///
        /// The array is empty for reads and deletions.
        public let values: [T]

        /// The method's name, followed by the query's key, or by the query's type if it has no key.
        public var description: String { "\(verb) \((query as? any KeyQuery)?.key ?? "\(type(of: query))")" }
    }

    private struct State {
        var calls: [Call] = []
        var failures: [any Error] = []
        var failing: [String: any Error] = [:]
    }

    private let source: AnyDataSource<T>
    private let state = Mutex(State())

    /// Creates a spy that forwards calls to a source.
    public init<Source: GetDataSource<T> & PutDataSource<T> & DeleteDataSource>(_ source: Source) {
        self.source = AnyDataSource(source)
    }

    /// Creates a spy that forwards calls to an empty in-memory source.
    public convenience init() { self.init(InMemoryDataSource<T>()) }

    /// The calls that the spy has recorded so far, in order.
    public var calls: [Call] { state.withLock(\.calls) }

    /// Makes the next calls fail, each with one of the given errors.
    ///
    /// - Parameter errors: The errors to fail with, in the order of the calls.
    public func failNext(_ errors: any Error...) { state.withLock { $0.failures += errors } }

    /// Makes all later calls to the given methods fail.
    ///
    /// - Parameters:
    ///   - verbs: The names of the methods, such as `put`. By default, all five methods fail.
    ///   - error: The error to fail with, or `nil` to forward the calls again.
    public func fail(_ verbs: Set<String> = ["get", "getAll", "put", "putAll", "delete"], with error: (any Error)?) {
        // The replaced errors are released without holding the lock.
        let former = state.withLock { state in
            let former = state.failing
            for verb in verbs { state.failing[verb] = error }
            return former
        }
        withExtendedLifetime(former) {}
    }

    /// Records the call, then reads a value from the underlying source.
    public func get(_ query: any Query) -> Future<T> { noted("get", query) { source.get(query) } }
    /// Records the call, then reads a list from the underlying source.
    public func getAll(_ query: any Query) -> Future<[T]> { noted("getAll", query) { source.getAll(query) } }
    /// Records the call, then writes a value to the underlying source.
    @discardableResult
    public func put(_ value: T?, in query: any Query) -> Future<T> {
        noted("put", query, value.map { [$0] } ?? []) { source.put(value, in: query) }
    }
    /// Records the call, then writes a list to the underlying source.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query) -> Future<[T]> {
        noted("putAll", query, values) { source.putAll(values, in: query) }
    }
    /// Records the call, then deletes values from the underlying source.
    @discardableResult
    public func delete(_ query: any Query) -> Future<Void> { noted("delete", query) { source.delete(query) } }

    private func noted<Result>(
        _ verb: String,
        _ query: any Query,
        _ values: [T] = [],
        _ ask: () -> Future<Result>
    ) -> Future<Result> {
        let failure = state.withLock { state -> (any Error)? in
            state.calls.append(Call(verb: verb, query: query, values: values))
            return state.failures.isEmpty ? state.failing[verb] : state.failures.removeFirst()
        }
        return failure.map { Future(error: $0) } ?? ask()
    }
}
