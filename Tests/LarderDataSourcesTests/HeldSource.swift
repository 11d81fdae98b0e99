import LarderCore
import LarderDataSources
import Synchronization

/// An in-memory data source whose calls to some methods stay pending until a test answers them.
final class HeldSource: GetDataSource, PutDataSource, DeleteDataSource {
    private struct State {
        var held: Set<String> = []
        var waiting: [(verb: String, key: String, answer: @Sendable ((any Error)?) -> Void)] = []
        var cancelled: [String] = []
    }

    let memory = InMemoryDataSource<Int>()
    private let state = Mutex(State())

    /// The names and keys of the pending calls, such as "put k".
    var waiting: [String] { state.withLock { $0.waiting.map { "\($0.verb) \($0.key)" } } }
    /// The names and keys of the calls that were cancelled.
    var cancelled: [String] { state.withLock(\.cancelled) }

    /// Keeps calls to the given methods pending from now on.
    func hold(_ verbs: String...) { state.withLock { $0.held = Set(verbs) } }

    /// Settles the oldest pending call with the source's answer, or with `error`.
    func answer(_ error: (any Error)? = nil) { state.withLock { $0.waiting.removeFirst() }.answer(error) }

    private func call<Value: Sendable>(
        _ verb: String,
        _ query: any KeyQuery,
        _ work: @escaping @Sendable () -> Future<Value>
    ) -> Future<Value> {
        guard state.withLock({ $0.held.contains(verb) }) else { return work() }
        let (future, resolver) = Future<Value>.pending()
        let key = query.key
        let answer: @Sendable ((any Error)?) -> Void = { error in
            if let error { resolver.set(error) } else { resolver.set(work()) }
        }
        state.withLock { $0.waiting.append((verb, key, answer)) }
        resolver.onCancel { [weak self] in self?.state.withLock { $0.cancelled.append("\(verb) \(key)") } }
        return future
    }

    func get(_ query: any KeyQuery) -> Future<Int> { call("get", query) { [memory] in memory.get(query) } }
    func getAll(_ query: any KeyQuery) -> Future<[Int]> { call("getAll", query) { [memory] in memory.getAll(query) } }
    func put(_ value: Int?, in query: any KeyQuery) -> Future<Int> {
        call("put", query) { [memory] in memory.put(value, in: query) }
    }
    func putAll(_ values: [Int], in query: any KeyQuery) -> Future<[Int]> {
        call("putAll", query) { [memory] in memory.putAll(values, in: query) }
    }
    func delete(_ query: any KeyQuery) -> Future<Void> { call("delete", query) { [memory] in memory.delete(query) } }
}
