import LarderCore

/// What a source held under a query before it was written to, and how that is given back.
struct FormerState<Source: GetDataSource & PutDataSource & DeleteDataSource>: Sendable {
    private enum Held {
        case value(Source.T)
        case list([Source.T])
        case nothing
        /// The keys of the query, one by one.
        case each([FormerState])
    }

    private let source: Source
    private let query: any Sendable
    private let held: Held

    /// Reads what is there: a single value or a list, whichever shape is about to be written over it.
    ///
    /// - Parameters:
    ///   - query: Says where.
    ///   - asList: Which of the two shapes is asked for first; the other one only when that says that something else is there.
    ///   - source: The source.
    /// - Returns: What is there. It fails when that is not known, as when it has neither shape: there is nothing to give back
    ///   then, and deleting it would lose it.
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
            // That one of several keys is missing does not say that the others are.
            if case .keys(let keys)? = (query as? any StorageQuery)?.selection {
                let states = keys.map { read(StringKeyQuery($0), asList: false, from: source) }
                return Future.batch(states).map { .each($0) }
            }
            if (error as? CoreError.NotFound)?.reason == .absent { return Future(.nothing) }
            return other().recover { _ in throw error }
        }.map { FormerState(source: source, query: query, held: $0) }
    }

    /// Gives the source back what it held.
    func restore() -> Future<Void> {
        switch held {
        case .value(let value): narrowed(query, for: Source.self) { source.put(value, in: $0) }.map { _ in }
        case .list(let list): narrowed(query, for: Source.self) { source.putAll(list, in: $0) }.map { _ in }
        case .nothing: narrowed(query, for: Source.self) { source.delete($0) }
        case .each(let states): Future.batch(states.map { $0.restore() }).map { _ in }
        }
    }
}
