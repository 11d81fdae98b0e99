public import LarderCore

/// A data source that stores values of one type on the device, in a key-value store.
///
/// ```swift
/// let dataSource = DeviceStorageDataSource<Double>()
/// dataSource.put(3.14159265359, forId: "pi")
/// dataSource.get("pi").then { pi in print("pi: \(pi)") }.fail { error in print(error) }
/// dataSource.delete("pi")
/// ```
///
/// **Types.** `T` is an integer, `Float`, `Double`, `Bool`, `String`, `URL`, `Date`, `Data`, or an array or a string-keyed dictionary of
/// these, to any depth. Other types do not compile. Map them with a ``DataSourceMapper``.
///
/// **Keys.** A value is stored under `prefix + "." + key`, or under the bare key if the prefix is empty. ``DeviceStorageType`` lists other
/// layouts. A list is stored as one value of type `[T]`. A key holds either a single value or a list.
///
/// **Overlapping prefixes.** Keys with the prefix "a.b" are also keys with the prefix "a": `getAll(AllObjectsQuery())`, `entries()` and
/// `delete(AllObjectsQuery())` of a source with the prefix "a" include them. If two such sources of one store exist at the same time, a
/// `LarderIssue` that names both is reported. ``DeviceStorageType/escapedPrefix(_:)`` prevents overlaps.
///
/// **Conversions.** A value can be read as any type to which the conversion table allows it to be converted. The `Double` 3.14159265359 can
/// be read as the `String` "3.14159265359". Reading a value that can't be converted fails with `CoreError.NotFound`, whose `reason`
/// distinguishes absent values from values that are not convertible.
///
/// All futures that this source returns are settled, so the operation is complete when the call returns. Sources are thread-safe.
public struct DeviceStorageDataSource<T>: DataSource, Sendable {
    @usableFromInline let store: any KeyValueStore
    @usableFromInline let layout: Layout
    let policy: ConversionPolicy
    /// The registration of this source's keys, for detecting other sources with overlapping keys.
    private let claim: PlaceClaim?

    /// The layout of this source's keys in the store.
    @usableFromInline enum Layout: Sendable {
        /// Each value is stored under its own key, which begins with this prefix.
        ///
        /// The prefix includes the trailing dot. It is empty if keys have no prefix.
        case keys(prefix: String)
        /// All values are stored in one dictionary under this key.
        case dictionary(StoreKey)
    }

    init(store: any KeyValueStore, storageType: DeviceStorageType, policy: ConversionPolicy) {
        self.store = store
        self.policy = policy
        if case .rootKey(let root) = storageType {
            layout = .dictionary(StoreKey(root))
            claim = PlaceClaim(.key(root), in: store)
        } else {
            let prefix = storageType.keyPrefix
            layout = .keys(prefix: prefix)
            // A source without a prefix rejects the operations that would include the keys of other sources.
            claim = prefix.isEmpty ? nil : PlaceClaim(.prefix(prefix), in: store)
        }
    }

    init(store: any KeyValueStore, prefix: String, policy: ConversionPolicy) {
        self.init(store: store, storageType: .prefix(prefix), policy: policy)
    }
}

extension DeviceStorageDataSource where T: StorableValue {
    /// Creates a source that uses the given store.
    ///
    /// - Parameters:
    ///   - store: The store that holds the values.
    ///   - prefix: The prefix of all keys, without the dot that follows it. If the prefix is empty, keys are used unchanged.
    ///   - policy: The policy that decides which conversions are allowed when a value is read.
    public init(_ store: any KeyValueStore, prefix: String = "", policy: ConversionPolicy = .documented) {
        self.init(store: store, prefix: prefix, policy: policy)
    }

    /// Creates a source that uses the given store and key layout.
    ///
    /// - Parameters:
    ///   - store: The store that holds the values.
    ///   - storageType: The key layout, which separates the source's keys from other keys in the store.
    ///   - policy: The policy that decides which conversions are allowed when a value is read.
    public init(
        _ store: any KeyValueStore,
        storageType: DeviceStorageType,
        policy: ConversionPolicy = .documented
    ) {
        self.init(store: store, storageType: storageType, policy: policy)
    }
}

extension DeviceStorageDataSource: GetDataSource where T: StorableValue {
    /// Reads the value that is stored under a key.
    ///
    /// - Parameter query: A query for the key of the value, without the prefix.
    /// - Returns: A future that settles with the value. It fails with `CoreError.NotFound` if the value is missing or can't be converted,
    ///   and with `StoreError` if the store can't be read.
    @inlinable
    public func get(_ query: any KeyQuery) -> Future<T> {
        let key = query.key
        // After a failure, `getOtherwise` reads the store again, and its future carries the error.
        if case .keys(let prefix) = layout, let stored = try? store.get(StoreKey(key, prefix: prefix)),
            let value = T.unconverted(stored)
        {
            return Future(value)
        }
        return getOtherwise(key)
    }

    /// Reads the value under a key, converting it if necessary.
    ///
    /// ``get(_:)`` calls this method if it can't return the stored value directly.
    @usableFromInline
    func getOtherwise(_ key: String) -> Future<T> { Future(reportingTo: store.issues) { try read(T.self, key) } }

    /// Reads the list under a key, the values of several keys, or all values.
    ///
    /// - Parameter query: A key (without the prefix) selects a list that is stored as one value of type `[T]`. Several keys select one
    ///   value each. `AllObjectsQuery` selects all values and the elements of all lists, sorted by key, and skips values that are neither a
    ///   `T` nor a list of `T` (``entries()`` fails for such values).
    /// - Returns: A future that settles with a consistent snapshot of the list. It fails with `CoreError.NotFound`, which names the key, if
    ///   a value is missing or can't be converted. It fails with `CoreError.QueryNotSupported` for `AllObjectsQuery` without a prefix, and
    ///   with `StoreError` if the store can't be read.
    public func getAll(_ query: any StoreQuery) -> Future<[T]> {
        Future(reportingTo: store.issues) {
            switch query.selection {
            case .key(let key): return try read([T].self, key)
            case .keys(let keys): return try readEach(keys)
            case .all:
                return try allValues().flatMap { entry -> [T] in
                    if let value = T.converted(from: entry.value, policy: policy) { return [value.value] }
                    return [T].converted(from: entry.value, policy: policy)?.value ?? []
                }
            }
        }
    }
}

extension DeviceStorageDataSource: PutDataSource where T: StorableValue {
    /// Writes a value and replaces the previous value, even if the previous value has another type.
    ///
    /// - Parameters:
    ///   - value: The value to write. `nil` fails with `CoreError.IllegalArgument`.
    ///   - query: A query for the key of the value, without the prefix.
    /// - Returns: A future that settles with the value. If it fails with `StoreError`, the previous value is unchanged.
    @inlinable
    @discardableResult
    public func put(_ value: T?, in query: any KeyQuery) -> Future<T> {
        guard let value, case .keys(let prefix) = layout else { return putOtherwise(value, query.key) }
        do {
            try store.set(value.storedValue, for: StoreKey(query.key, prefix: prefix))
            return Future(value)
        } catch {
            return Future(error: error, reportingTo: store.issues)
        }
    }

    @usableFromInline
    func putOtherwise(_ value: T?, _ key: String) -> Future<T> {
        Future(reportingTo: store.issues) {
            guard let value else { throw CoreError.IllegalArgument.nilValue }
            try write(value.storedValue, key)
            return value
        }
    }

    /// Writes a list as one value of type `[T]`, or one value for each of several keys.
    ///
    /// Previous values are replaced, even if they have another type.
    ///
    /// - Parameters:
    ///   - values: The complete list to write, which may be empty. For several keys, it must have one value for each key; otherwise the
    ///     call fails with `CoreError.IllegalArgument`.
    ///   - query: One or several keys, without the prefix. `AllObjectsQuery` fails with `CoreError.QueryNotSupported`.
    /// - Returns: A future that settles with the list. If it fails with `StoreError`, nothing was changed.
    @discardableResult
    public func putAll(_ values: [T], in query: any StoreQuery) -> Future<[T]> {
        Future(reportingTo: store.issues) {
            switch query.selection {
            case .key(let key): try write(values.storedValue, key)
            case .keys(let keys):
                guard keys.count == values.count else {
                    throw CoreError.IllegalArgument.count(of: values.count, keys: keys.count)
                }
                try writeEach(zip(keys, values).map { ($0, $1.storedValue) })
            case .all: throw CoreError.QueryNotSupported.putEverywhere
            }
            return values
        }
    }
}

extension DeviceStorageDataSource: DeleteDataSource where T: StorableValue {
    /// Atomically deletes the values that a query selects, even if they have another type.
    ///
    /// `AllObjectsQuery` deletes all keys that begin with the prefix and a dot. With the prefix "a", these include the values of a source
    /// with the prefix "a.b". ``DeviceStorageType/escapedPrefix(_:)`` prevents that.
    ///
    /// - Parameter query: One or several keys, without the prefix, or `AllObjectsQuery` for all keys with the prefix. Without a prefix,
    ///   `AllObjectsQuery` fails with `CoreError.QueryNotSupported`.
    /// - Returns: A future that settles when the values are deleted. The future also succeeds if there are no values to delete. If it fails
    ///   with `StoreError`, nothing was deleted.
    @discardableResult
    public func delete(_ query: any StoreQuery) -> Future<Void> {
        Future(reportingTo: store.issues) {
            switch query.selection {
            case .key(let key): try write(nil, key)
            case .keys(let keys): try writeEach(keys.map { ($0, nil) })
            case .all: try removeAll()
            }
        }
    }
}
