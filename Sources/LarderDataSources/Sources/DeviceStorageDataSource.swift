public import LarderCore

/// A key-value storage on the device, for values of one type.
///
/// ```swift
/// let dataSource = DeviceStorageDataSource<Double>()
/// dataSource.put(3.14159265359, forId: "pi")
/// dataSource.get("pi").then { pi in print("pi: \(pi)") }.fail { error in print(error) }
/// dataSource.delete("pi")
/// ```
///
/// **Types.** `T` is one of the compatible types: any integer, `Float`, `Double`, `Bool`, `String`, `URL`, `Date`, `Data`, and
/// arrays and string-keyed dictionaries of these to any depth. Any other `T` does not compile; map it with a
/// ``DataSourceMapper``.
///
/// **Keys.** A value is stored under `prefix + "." + key`, or under the bare key when the prefix is empty, so that sources with
/// different prefixes keep different values for one identifier; ``DeviceStorageType`` lists the other ways. A list is stored as
/// one value of type `[T]`; a key holds a single value or a list.
///
/// **Overlapping prefixes.** The keys of the prefix "a.b" are among those of the prefix "a": `getAll(AllObjectsQuery())`, `entries()` and
/// `delete(AllObjectsQuery())` of a source with the prefix "a" read and delete them too. Two such sources of one store that exist at the
/// same time are reported as a `LarderIssue` that names both. ``DeviceStorageType/escapedPrefix(_:)`` keeps any two prefixes apart.
///
/// **Reading another type.** What was stored as one type can be read as another as far as the conversion table goes: the
/// `Double` 3.14159265359 reads as the `String` "3.14159265359". What does not convert fails with `CoreError.NotFound`, which
/// says whether the value was absent or not convertible.
///
/// Every future of this source is settled: the work has happened when the call returns. Sources may be used from any thread.
public struct DeviceStorageDataSource<T>: DataSource, Sendable {
    @usableFromInline let store: any KeyValueStore
    @usableFromInline let layout: Layout
    let policy: ConversionPolicy
    /// Says that this source is there, to those whose keys overlap with its own.
    private let claim: PlaceClaim?

    /// Where the source's keys lie in the store.
    @usableFromInline enum Layout: Sendable {
        /// Each behind this text, the dot included; empty for bare keys.
        case keys(prefix: String)
        /// All in one dictionary.
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
            // A source of bare keys refuses what would reach the keys of others.
            claim = prefix.isEmpty ? nil : PlaceClaim(.prefix(prefix), in: store)
        }
    }

    init(store: any KeyValueStore, prefix: String, policy: ConversionPolicy) {
        self.init(store: store, storageType: .prefix(prefix), policy: policy)
    }
}

extension DeviceStorageDataSource where T: StorableValue {
    /// A source over any store.
    ///
    /// - Parameters:
    ///   - store: Where the values are kept.
    ///   - prefix: Put before every key, with a dot between; empty for bare keys.
    ///   - policy: What may be read as what.
    public init(_ store: any KeyValueStore, prefix: String = "", policy: ConversionPolicy = .documented) {
        self.init(store: store, prefix: prefix, policy: policy)
    }

    /// A source over any store, whose keys are told apart in a chosen way.
    ///
    /// - Parameters:
    ///   - store: Where the values are kept.
    ///   - storageType: How its keys are told apart from those of others.
    ///   - policy: What may be read as what.
    public init(
        _ store: any KeyValueStore,
        storageType: DeviceStorageType,
        policy: ConversionPolicy = .documented
    ) {
        self.init(store: store, storageType: storageType, policy: policy)
    }
}

extension DeviceStorageDataSource: GetDataSource where T: StorableValue {
    /// Reads one value.
    ///
    /// - Parameter query: Its key, behind the prefix.
    /// - Returns: The value. Fails with `CoreError.NotFound` when there is none or it does not convert, and with `StoreError`
    ///   when the store cannot be read.
    @inlinable
    public func get(_ query: any KeyQuery) -> Future<T> {
        let key = query.key
        // A store that can't be read is asked once more, and the future has its reason.
        if case .keys(let prefix) = layout, let stored = try? store.get(StoreKey(key, prefix: prefix)),
            let value = T.unconverted(stored)
        {
            return Future(value)
        }
        return getOtherwise(key)
    }

    /// What is not there as a `T`: to be converted, in a dictionary, absent, or unreadable.
    @usableFromInline
    func getOtherwise(_ key: String) -> Future<T> { Future(reportingTo: store.issues) { try read(T.self, key) } }

    /// Reads a list: the one under a key, the values of several keys, or everything.
    ///
    /// - Parameter query: A key, behind the prefix, names a list that is stored as one value of type `[T]`. Several keys name
    ///   a value each. `AllObjectsQuery` means every value and every element of every list, sorted by key; what is neither is
    ///   left out (``entries()`` reports it).
    /// - Returns: The list, all of one moment. Fails with `CoreError.NotFound`, naming the key, when one is missing or does not
    ///   convert, with `CoreError.QueryNotSupported` for `AllObjectsQuery` without a prefix, and with `StoreError` when the
    ///   store cannot be read.
    public func getAll(_ query: any StorageQuery) -> Future<[T]> {
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
    /// Writes one value, replacing whatever is there, of whatever type.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` fails with `CoreError.IllegalArgument`.
    ///   - query: Its key, behind the prefix.
    /// - Returns: The value. When it failed, with `StoreError`, the earlier value is still there.
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

    /// Writes a list as one value of type `[T]`, replacing whatever is there, or one value for each of several keys.
    ///
    /// - Parameters:
    ///   - values: The whole list; an empty one is a value too. For several keys as many values as keys: otherwise it fails
    ///     with `CoreError.IllegalArgument`.
    ///   - query: A key or several, behind the prefix; `AllObjectsQuery` fails with `CoreError.QueryNotSupported`.
    /// - Returns: The list. When it failed, with `StoreError`, nothing was changed.
    @discardableResult
    public func putAll(_ values: [T], in query: any StorageQuery) -> Future<[T]> {
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
    /// Deletes what a query names, of whatever type, in one step.
    ///
    /// `AllObjectsQuery` deletes every key that begins with the prefix and a dot. Those of a source whose prefix begins so are among
    /// them: a source with the prefix "a" deletes the values of one with the prefix "a.b". ``DeviceStorageType/escapedPrefix(_:)`` keeps
    /// them apart.
    ///
    /// - Parameter query: A key or several, behind the prefix, or `AllObjectsQuery` for everything behind the prefix: without
    ///   one it fails with `CoreError.QueryNotSupported`.
    /// - Returns: Nothing; a missing key is no error. When it failed, with `StoreError`, nothing was deleted.
    @discardableResult
    public func delete(_ query: any StorageQuery) -> Future<Void> {
        Future(reportingTo: store.issues) {
            switch query.selection {
            case .key(let key): try write(nil, key)
            case .keys(let keys): try writeEach(keys.map { ($0, nil) })
            case .all: try removeAll()
            }
        }
    }
}
