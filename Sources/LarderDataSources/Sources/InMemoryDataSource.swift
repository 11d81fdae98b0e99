public import LarderCore
import Synchronization

/// A data source that keeps values in memory until it is released.
///
/// A key holds either a single value or a list. A write replaces the existing value or list. All futures returned by this source have
/// already settled. The source is thread-safe.
public final class InMemoryDataSource<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    private struct Entry {
        let held: Held<T>
        /// The revision of the source when this entry was written.
        let revision: UInt64
    }

    private struct State {
        /// The entries, with keys compared byte by byte.
        var entries: [StoreKey: Entry] = [:]
        var revision: UInt64 = 0
        var readers = ChangeReaders<T>()
    }

    /// The replaced entries and the pending notifications of a write, which are processed after the lock is released.
    ///
    /// Releasing a replaced entry can run the `deinit` of its value, which may use this source.
    private struct Written {
        var former: [Entry] = []
        var followups: [ChangeBuffer<T>.Followup] = []

        func carryOut() { for followup in followups { followup.carryOut() } }
    }

    private let state = Mutex(State())

    /// Creates an empty source.
    public init() {}

    /// Reads the value that is stored under a key.
    ///
    /// Fails with `CoreError.NotFound` if the key has no value or holds a list.
    public func get(_ query: any KeyQuery) -> Future<T> {
        let key = query.key
        return Future { try entry(StoreKey(key)).map(\.held).value(of: key) }
    }

    /// Reads the list under a key, the values of several keys, or all values sorted by key.
    ///
    /// Fails with `CoreError.NotFound` if the key has no list, or if one of several keys has no value. The error names the first such key.
    public func getAll(_ query: any StoreQuery) -> Future<[T]> {
        Future {
            try query.selection.list { keys in
                state.withLock { state in keys.map { state.entries[StoreKey($0)]?.held } }
            } all: {
                sorted().held
            }
        }
    }

    /// Writes a value, and replaces any value or list that is stored under the key.
    ///
    /// Fails with `CoreError.IllegalArgument` if the value is `nil`.
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
    /// Fails with `CoreError.IllegalArgument` if the numbers of values and keys differ, and with `CoreError.QueryNotSupported` for
    /// `AllObjectsQuery`.
    @discardableResult
    public func putAll(_ values: [T], in query: any StoreQuery) -> Future<[T]> {
        Future {
            write(try query.selection.holding(values))
            return values
        }
    }

    /// Deletes the values that a query selects.
    ///
    /// Keys without a value are ignored.
    @discardableResult
    public func delete(_ query: any StoreQuery) -> Future<Void> {
        Future {
            switch query.selection {
            case .key(let key): write([(key, nil)])
            case .keys(let keys): write(keys.map { ($0, nil) })
            case .all: deleteEverything()
            }
        }
    }
}

extension InMemoryDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Changes a value atomically.
    ///
    /// If the key holds a list, `change` receives `nil`, and the list is kept unless `change` sets a value. `change` runs outside all locks
    /// and may use the source. `change` runs again after a conflict with another write to the key. After 10,000 conflicts, for example
    /// because `change` itself writes the key, the future fails with `CoreError.Failed`, and nothing is changed.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> {
        Future {
            let key = StoreKey(query.key)
            for _ in 0..<Self.updateLimit {
                let before = entry(key)
                var value: T?
                if case .value(let old)? = before?.held { value = old }
                let wasValue = value != nil
                try change(&value)
                guard wasValue || value != nil else { return value }
                let held = value.map { Held.value($0) }
                let written = state.withLock { state -> Written? in
                    guard state.entries[key]?.revision == before?.revision else { return nil }
                    var written = Written()
                    write(key, held, &state, &written)
                    return written
                }
                guard let written else { continue }
                written.carryOut()
                return value
            }
            throw CoreError.Failed.overtaken(key.text, times: Self.updateLimit)
        }
    }

    private static var updateLimit: Int { 10_000 }

    /// Returns all values except lists, with their keys, sorted by key.
    public func entries() -> Future<[DataSourceEntry<T>]> {
        let (keys, held) = sorted()
        return Future(
            zip(keys, held).compactMap { key, held in
                guard case .value(let value) = held else { return nil }
                return DataSourceEntry(key: key, value: value)
            }
        )
    }

    /// Returns the changes to the keys that a query selects.
    public func changes(for query: any StoreQuery) -> DataSourceChanges<T> {
        let (selection, buffer) = (query.selection, ChangeBuffer<T>())
        let others = state.withLock { $0.readers.add(buffer, for: selection) }
        withExtendedLifetime(others) {}
        return DataSourceChanges(buffer: buffer, subscription: buffer)
    }
}

extension InMemoryDataSource {
    private func entry(_ key: StoreKey) -> Entry? { state.withLock { $0.entries[key] } }

    private func sorted() -> (keys: [String], held: [Held<T>]) {
        // The dictionary is sorted outside the lock. If a write happens in the meantime, the write copies the dictionary.
        let entries = state.withLock(\.entries)
        let keys = entries.keys.map(\.text)
        let held = entries.values.map(\.held)
        let order = keys.orderByBytes()
        return (order.map { keys[$0] }, order.map { held[$0] })
    }

    private func write(_ writes: [(key: String, held: Held<T>?)]) {
        let written = state.withLock { state in
            var written = Written()
            for (key, held) in writes { write(StoreKey(key), held, &state, &written) }
            return written
        }
        written.carryOut()
    }

    private func deleteEverything() {
        let written = state.withLock { state in
            var written = Written(former: Array(state.entries.values))
            for key in state.entries.keys { written.followups += state.readers.notify(.gone(key: key.text)) }
            state.entries = [:]
            return written
        }
        written.carryOut()
    }

    /// Writes or removes an entry and adds the change to the readers' buffers.
    ///
    /// The caller must hold the lock, so that readers receive changes in the order of the writes.
    private func write(_ key: StoreKey, _ held: Held<T>?, _ state: inout State, _ written: inout Written) {
        let former = state.entries[key]
        if held == nil, former == nil { return }
        if let former { written.former.append(former) }
        state.revision += 1
        state.entries[key] = held.map { Entry(held: $0, revision: state.revision) }
        written.followups += state.readers.notify(DataSourceChange(held, key: key.text))
    }
}

extension InMemoryDataSource: PlacedDataSource {
    /// The origin of the values, which is always `memory`.
    public var storedOrigin: StoredOrigin { .memory }
}
