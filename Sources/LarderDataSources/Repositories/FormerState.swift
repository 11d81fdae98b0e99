import LarderCore

/// A snapshot of the values that a write is about to replace, used to undo the write.
struct FormerState<Source: GetDataSource & PutDataSource & DeleteDataSource>: Sendable {
    private enum Held {
        case value(Source.T)
        case list([Source.T])
        case nothing
        /// A snapshot for each key of a query that selects several keys.
        case each([FormerState])
    }

    private let source: Source
    private let query: any Sendable
    private let held: Held

    /// Reads the value or the list that a write is about to replace.
    ///
    /// Tries to read a list first if `asList` is `true`, otherwise a single value first.
    ///
    /// Fails if neither a list nor a single value can be read, because then the write could not be undone.
    static func read(_ query: any Sendable, asList: Bool, from source: Source) -> Future<FormerState> {
        let value: @Sendable () -> Future<Held> = {
            narrowed(query, for: Source.self) { source.get($0) }.map { .value($0) }
        }
        let list: @Sendable () -> Future<Held> = {
            narrowed(query, for: Source.self) { source.getAll($0) }.map { .list($0) }
        }
        let (asked, other) = asList ? (list, value) : (value, list)
        return asked().recover { error in
            guard error is CoreError.NotFound || error is CoreError.DataSerialization else { throw error }
            // One missing key of several does not mean that all keys are missing.
            if case .keys(let keys)? = (query as? any StoreQuery)?.selection {
                let states = keys.map { read(StringKeyQuery($0), asList: false, from: source) }
                return Future.batch(states).map { .each($0) }
            }
            if (error as? CoreError.NotFound)?.reason == .absent { return Future(.nothing) }
            return other().recover { _ in throw error }
        }.map { FormerState(source: source, query: query, held: $0) }
    }

    /// Writes the previous values back to the source.
    func restore() -> Future<Void> {
        switch held {
        case .value(let value): narrowed(query, for: Source.self) { source.put(value, in: $0) }.map { _ in }
        case .list(let list): narrowed(query, for: Source.self) { source.putAll(list, in: $0) }.map { _ in }
        case .nothing: narrowed(query, for: Source.self) { source.delete($0) }
        case .each(let states): Future.batch(states.map { $0.restore() }).map { _ in }
        }
    }
}
