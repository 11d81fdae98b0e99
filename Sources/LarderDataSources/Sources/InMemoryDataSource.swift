public import LarderCore
import Synchronization

/// A source that keeps values in memory, until it is released.
///
/// One key holds a single value or a list: putting one evicts the other. Every future is settled. It may be used from any
/// thread.
public final class InMemoryDataSource<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    private struct State {
        /// By the bytes of the key.
        var held: [StoreKey: Held<T>] = [:]
        var readers = ChangeReaders<T>()
    }

    private let state = Mutex(State())

    /// An empty source.
    public init() {}

    /// Reads one value; `CoreError.NotFound` when there is none, or a list.
    public func get(_ query: any KeyQuery) -> Future<T> {
        let key = query.key
        return Future { try held(key).value(of: key) }
    }

    /// Reads a list: the one under a key, the values of several keys, or everything, sorted by key.
    ///
    /// `CoreError.NotFound` when the key has no list or one of several keys has no value, naming the first such key.
    public func getAll(_ query: any StorageQuery) -> Future<[T]> {
        Future {
            try query.selection.list { keys in
                state.withLock { state in keys.map { state.held[StoreKey($0)] } }
            } all: {
                sorted().map(\.1)
            }
        }
    }

    /// Writes one value; `nil` fails with `CoreError.IllegalArgument`.
    @discardableResult
    public func put(_ value: T?, in query: any KeyQuery) -> Future<T> {
        Future {
            guard let value else { throw CoreError.IllegalArgument.nilValue }
            write([(query.key, .value(value))])
            return value
        }
    }

    /// Writes a list under one key, or one value for each of several keys.
    ///
    /// `CoreError.IllegalArgument` when there are not as many values as keys, `CoreError.QueryNotSupported` for everything.
    @discardableResult
    public func putAll(_ values: [T], in query: any StorageQuery) -> Future<[T]> {
        Future {
            write(try query.selection.holding(values))
            return values
        }
    }

    /// Deletes what a query names; a missing key is no error.
    @discardableResult
    public func delete(_ query: any StorageQuery) -> Future<Void> {
        Future {
            switch query.selection {
            case .key(let key): write([(key, nil)])
            case .keys(let keys): write(keys.map { ($0, nil) })
            case .all: state.withLock { state in for key in Array(state.held.keys) { write(key, nil, &state) } }
            }
        }
    }
}

extension InMemoryDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Changes one value in one step; a list under the key counts as no value and is kept when `change` leaves `nil`.
    ///
    /// `change` runs under the source's lock: it must not use the source.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> {
        Future {
            try state.withLock { state in
                let key = StoreKey(query.key)
                var value: T?
                let wasValue: Bool
                if case .value(let old) = state.held[key] {
                    value = old
                    wasValue = true
                } else {
                    wasValue = false
                }
                try change(&value)
                if wasValue || value != nil { write(key, value.map { .value($0) }, &state) }
                return value
            }
        }
    }

    /// Every single value with its key, sorted by key; lists are left out.
    public func entries() -> Future<[DataSourceEntry<T>]> {
        Future(
            sorted().compactMap { key, held in
                guard case .value(let value) = held else { return nil }
                return DataSourceEntry(key: key, value: value)
            }
        )
    }

    /// What changes from now on under the keys of a query.
    public func changes(for query: any StorageQuery) -> DataSourceChanges<T> {
        state.withLock { $0.readers.add(query) }
    }
}

extension InMemoryDataSource {
    private func held(_ key: String) -> Held<T>? { state.withLock { $0.held[StoreKey(key)] } }

    private func sorted() -> [(String, Held<T>)] {
        state.withLock { $0.held.map { ($0.key.text, $0.value) } }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }

    private func write(_ writes: [(key: String, held: Held<T>?)]) {
        state.withLock { state in for (key, held) in writes { write(StoreKey(key), held, &state) } }
    }

    /// Writes and tells the readers, all under the lock, so that the order of changes is the order of writes.
    private func write(_ key: StoreKey, _ held: Held<T>?, _ state: inout State) {
        if held == nil, state.held[key] == nil { return }
        state.held[key] = held
        state.readers.tell(DataSourceChange(held, key: key.text))
    }
}

extension InMemoryDataSource: PlacedDataSource {
    /// The memory of this process.
    public var storedOrigin: StoredOrigin { .memory }
}
