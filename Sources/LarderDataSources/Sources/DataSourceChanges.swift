import LarderCore

/// A change to one key of a data source.
public enum DataSourceChange<T: Sendable>: Sendable {
    /// A single value was stored for `key`.
    case value(T, key: String)
    /// A list was stored for `key`.
    case list([T], key: String)
    /// The value stored for `key` was deleted, or can't be read as `T`.
    case gone(key: String)
    /// The reader fell behind and missed the associated number of changes.
    ///
    /// Read the observed values again.
    case missed(Int)
}

extension DataSourceChange: Equatable where T: Equatable {}

/// An asynchronous sequence of a data source's changes, for a single reader; see ``ObservableDataSource/changes(for:)``.
///
/// The sequence starts with the first change after it was created and buffers up to 1,024 unread changes. Iterate over the sequence only
/// once.
public struct DataSourceChanges<T: Sendable>: AsyncSequence, Sendable {
    /// The type of the elements: a change to one key, or a number of missed changes.
    public typealias Element = DataSourceChange<T>

    private let advance: @Sendable () async -> DataSourceChange<T>?
    /// The subscription to the source, which is retained as long as the sequence or its iterator exists.
    private let subscription: any Sendable

    init(buffer: ChangeBuffer<T>, subscription: any Sendable) {
        advance = { await buffer.next() }
        self.subscription = subscription
    }

    private init(_ subscription: any Sendable, _ advance: @escaping @Sendable () async -> DataSourceChange<T>?) {
        self.subscription = subscription
        self.advance = advance
    }

    /// An iterator that waits for each change.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let changes: DataSourceChanges<T>

        /// Waits for the next change.
        ///
        /// - Returns: The next change, or `nil` after the task was cancelled.
        public mutating func next() async -> DataSourceChange<T>? { await changes.advance() }
    }

    /// Returns an iterator over the changes.
    ///
    /// Create only one iterator for each sequence.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(changes: self) }

    /// Returns a sequence of the same changes with transformed values.
    ///
    /// If a value can't be transformed, the key is reported as deleted.
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

    /// Returns a sequence that applies `transform` to each change.
    ///
    /// If `transform` throws, the key is reported as deleted.
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
    /// The key that changed, or `nil` if changes were missed.
    var key: String? {
        switch self {
        case .value(_, let key), .list(_, let key), .gone(let key): key
        case .missed: nil
        }
    }
}
