public import LarderCore
public import LarderDataSources
import Synchronization

/// A source that writes down what it is asked, and answers as the source behind it or as a test tells it to.
public final class DataSourceSpy<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    /// One call.
    public struct Call: Sendable, CustomStringConvertible {
        /// The name of the verb, such as `getAll`.
        public let verb: String
        /// What was asked for.
        public let query: any Query
        /// The values that were given; empty for reads and deletions.
        public let values: [T]

        /// The verb, and the key if it is one.
        public var description: String { "\(verb) \((query as? any KeyQuery)?.key ?? "\(type(of: query))")" }
    }

    private struct State {
        var calls: [Call] = []
        var failures: [any Error] = []
        var failing: [String: any Error] = [:]
    }

    private let source: AnyDataSource<T>
    private let state = Mutex(State())

    /// A spy before a source.
    public init<Source: GetDataSource<T> & PutDataSource<T> & DeleteDataSource>(_ source: Source) {
        self.source = AnyDataSource(source)
    }

    /// A spy before an empty source in memory.
    public convenience init() { self.init(InMemoryDataSource<T>()) }

    /// What was asked so far.
    public var calls: [Call] { state.withLock(\.calls) }

    /// Fails the next calls, one with each error, instead of asking the source.
    ///
    /// - Parameter errors: In the order of the calls.
    public func failNext(_ errors: any Error...) { state.withLock { $0.failures += errors } }

    /// Fails every call of a verb from now on, instead of asking the source.
    ///
    /// - Parameters:
    ///   - verbs: The names of the verbs, such as `put`; all five unless given.
    ///   - error: What they fail with; `nil` lets them pass again.
    public func fail(_ verbs: Set<String> = ["get", "getAll", "put", "putAll", "delete"], with error: (any Error)?) {
        // What was there is released outside the lock.
        let former = state.withLock { state in
            let former = state.failing
            for verb in verbs { state.failing[verb] = error }
            return former
        }
        withExtendedLifetime(former) {}
    }

    /// Reads one value.
    public func get(_ query: any Query) -> Future<T> { noted("get", query) { source.get(query) } }
    /// Reads a list.
    public func getAll(_ query: any Query) -> Future<[T]> { noted("getAll", query) { source.getAll(query) } }
    /// Writes one value.
    @discardableResult
    public func put(_ value: T?, in query: any Query) -> Future<T> {
        noted("put", query, value.map { [$0] } ?? []) { source.put(value, in: query) }
    }
    /// Writes a list.
    @discardableResult
    public func putAll(_ values: [T], in query: any Query) -> Future<[T]> {
        noted("putAll", query, values) { source.putAll(values, in: query) }
    }
    /// Deletes.
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
