import LarderCore

/// What changed under one key of a source.
public enum DataSourceChange<T: Sendable>: Sendable {
    /// The key holds another single value.
    case value(T, key: String)
    /// The key holds another list.
    case list([T], key: String)
    /// The key holds nothing any more, or something that is no `T`.
    case gone(key: String)
    /// So many changes were not kept because the reader fell behind: read again what matters. Never a silent gap.
    case missed(Int)
}

extension DataSourceChange: Equatable where T: Equatable {}

/// The changes of a source as an asynchronous sequence for one reader; see ``ObservableDataSource/changes(for:)``.
///
/// It begins with the first change after it was made and keeps up to 1,024 unread ones. Iterate it once.
public struct DataSourceChanges<T: Sendable>: AsyncSequence, Sendable {
    /// One change after another.
    public typealias Element = DataSourceChange<T>

    private let advance: @Sendable () async -> DataSourceChange<T>?
    /// Kept so that the subscription lives as long as its reader.
    private let subscription: any Sendable

    init(buffer: ChangeBuffer<T>, subscription: any Sendable) {
        advance = { await buffer.next() }
        self.subscription = subscription
    }

    private init(_ subscription: any Sendable, _ advance: @escaping @Sendable () async -> DataSourceChange<T>?) {
        self.subscription = subscription
        self.advance = advance
    }

    /// Reads the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let changes: DataSourceChanges<T>

        /// The next change, or `nil` when the task was cancelled.
        ///
        /// - Returns: The next change.
        public mutating func next() async -> DataSourceChange<T>? { await changes.advance() }
    }

    /// The one iterator of this sequence.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(changes: self) }

    /// The same changes of what the values are mapped to; a key whose value does not map holds no `Out`.
    func mapped<Out: Sendable>(
        value: @escaping @Sendable (T) throws -> Out,
        list: @escaping @Sendable ([T]) throws -> [Out]
    ) -> DataSourceChanges<Out> {
        mapped { change in
            switch change {
            case .value(let held, let key): .value(try value(held), key: key)
            case .list(let held, let key): .list(try list(held), key: key)
            case .gone(let key): .gone(key: key)
            case .missed(let count): .missed(count)
            }
        }
    }

    /// The same changes as `transform` has them; where it throws, the key holds nothing.
    func mapped<Out: Sendable>(
        _ transform: @escaping @Sendable (DataSourceChange<T>) throws -> DataSourceChange<Out>
    ) -> DataSourceChanges<Out> {
        DataSourceChanges<Out>(subscription) { [advance] in
            guard let change = await advance() else { return nil }
            do { return try transform(change) } catch { return change.key.map { .gone(key: $0) } ?? .missed(1) }
        }
    }
}

extension DataSourceChange {
    /// The key that changed.
    var key: String? {
        switch self {
        case .value(_, let key), .list(_, let key), .gone(let key): key
        case .missed: nil
        }
    }
}
