public import LarderCore
import Synchronization

/// A source that keeps values in memory, until it is released.
///
/// One key holds a single value or a list: putting one evicts the other. Every future is settled. It may be used from any
/// thread.
public final class InMemoryDataSource<T: Sendable>: GetDataSource, PutDataSource, DeleteDataSource {
    private struct Entry {
        let held: Held<T>
        /// Of the write that put it here; no two writes of a source have the same.
        let revision: UInt64
    }

    private struct State {
        /// By the bytes of the key.
        var entries: [StoreKey: Entry] = [:]
        var revision: UInt64 = 0
        var readers = ChangeReaders<T>()
    }

    /// What a write leaves to be done outside the lock: values are released there, since their `deinit` may use this source.
    private struct Written {
        var former: [Entry] = []
        var followups: [ChangeBuffer<T>.Followup] = []

        func carryOut() { for followup in followups { followup.carryOut() } }
    }

    private let state = Mutex(State())

    /// An empty source.
    public init() {}

    /// Reads one value; `CoreError.NotFound` when there is none, or a list.
    public func get(_ query: any KeyQuery) -> Future<T> {
        let key = query.key
        return Future { try entry(StoreKey(key)).map(\.held).value(of: key) }
    }

    /// Reads a list: the one under a key, the values of several keys, or everything, sorted by key.
    ///
    /// `CoreError.NotFound` when the key has no list or one of several keys has no value, naming the first such key.
    public func getAll(_ query: any StorageQuery) -> Future<[T]> {
        Future {
            try query.selection.list { keys in
                state.withLock { state in keys.map { state.entries[StoreKey($0)]?.held } }
            } all: {
                sorted().held
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
            case .all: deleteEverything()
            }
        }
    }
}

extension InMemoryDataSource: UpdateDataSource, EntriesDataSource, ObservableDataSource {
    /// Changes one value in one step; a list under the key counts as no value and is kept when `change` leaves `nil`.
    ///
    /// `change` runs outside every lock and may use the source. It runs again when the key was written meanwhile. Where that happens
    /// 10,000 times in a row, as when `change` itself writes the key, the future fails with `CoreError.Failed`, and nothing was changed.
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

    /// Every single value with its key, sorted by key; lists are left out.
    public func entries() -> Future<[DataSourceEntry<T>]> {
        let (keys, held) = sorted()
        return Future(
            zip(keys, held).compactMap { key, held in
                guard case .value(let value) = held else { return nil }
                return DataSourceEntry(key: key, value: value)
            }
        )
    }

    /// What changes from now on under the keys of a query.
    public func changes(for query: any StorageQuery) -> DataSourceChanges<T> {
        let (selection, buffer) = (query.selection, ChangeBuffer<T>())
        let others = state.withLock { $0.readers.add(buffer, for: selection) }
        withExtendedLifetime(others) {}
        return DataSourceChanges(buffer: buffer, subscription: buffer)
    }
}

extension InMemoryDataSource {
    private func entry(_ key: StoreKey) -> Entry? { state.withLock { $0.entries[key] } }

    private func sorted() -> (keys: [String], held: [Held<T>]) {
        // Copied when somebody writes while it is being sorted.
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
            for key in state.entries.keys { written.followups += state.readers.tell(.gone(key: key.text)) }
            state.entries = [:]
            return written
        }
        written.carryOut()
    }

    /// Writes and tells the readers, all under the lock, so that the order of changes is the order of writes.
    private func write(_ key: StoreKey, _ held: Held<T>?, _ state: inout State, _ written: inout Written) {
        let former = state.entries[key]
        if held == nil, former == nil { return }
        if let former { written.former.append(former) }
        state.revision += 1
        state.entries[key] = held.map { Entry(held: $0, revision: state.revision) }
        written.followups += state.readers.tell(DataSourceChange(held, key: key.text))
    }
}

extension InMemoryDataSource: PlacedDataSource {
    /// The memory of this process.
    public var storedOrigin: StoredOrigin { .memory }
}
