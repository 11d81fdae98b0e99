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
/// different prefixes keep different values for one identifier.
///
/// **Reading another type.** What was stored as one type can be read as another as far as the conversion table goes: the
/// `Double` 3.14159265359 reads as the `String` "3.14159265359". What does not convert fails with `CoreError.NotFound`, which
/// says whether the value was absent or not convertible.
///
/// Every future of this source is settled: the work has happened when the call returns. Sources may be used from any thread.
public struct DeviceStorageDataSource<T>: DataSource, Sendable {
    private let store: any KeyValueStore
    /// What stands before the key of each query, the dot included.
    private let keyPrefix: String
    private let policy: ConversionPolicy

    init(store: any KeyValueStore, prefix: String, policy: ConversionPolicy) {
        self.store = store
        keyPrefix = prefix.isEmpty ? "" : prefix + "."
        self.policy = policy
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
}

extension DeviceStorageDataSource: GetDataSource where T: StorableValue {
    /// Reads one value.
    ///
    /// - Parameter query: Its key, behind the prefix.
    /// - Returns: The value. Fails with `CoreError.NotFound` when there is none or it does not convert, and with `StoreError`
    ///   when the store cannot be read.
    public func get(_ query: any KeyQuery) -> Future<T> { read(query) }

    /// Reads a list, which is stored as one value of type `[T]`.
    ///
    /// - Parameter query: Its key, behind the prefix.
    /// - Returns: The list. Fails with `CoreError.NotFound` when there is none or one element does not convert, and with
    ///   `StoreError` when the store cannot be read.
    public func getAll(_ query: any KeyQuery) -> Future<[T]> { read(query) }

    private func read<Value: StorableValue>(_ query: any KeyQuery) -> Future<Value> {
        Future(reportingTo: store.issues) { try store.value(Value.self, for: storeKey(query), policy: policy) }
    }

    private func storeKey(_ query: any KeyQuery) -> StoreKey { StoreKey(query.key, prefix: keyPrefix) }
}

extension DeviceStorageDataSource: PutDataSource where T: StorableValue {
    /// Writes one value, replacing whatever is there, of whatever type.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` fails with `CoreError.IllegalArgument`.
    ///   - query: Its key, behind the prefix.
    /// - Returns: The value. When it failed, with `StoreError`, the earlier value is still there.
    @discardableResult
    public func put(_ value: T?, in query: any KeyQuery) -> Future<T> { write(value, query) }

    /// Writes a list as one value of type `[T]`, replacing whatever is there.
    ///
    /// - Parameters:
    ///   - values: The whole list; an empty one is a value too.
    ///   - query: Its key, behind the prefix.
    /// - Returns: The list. When it failed, with `StoreError`, the earlier value is still there.
    @discardableResult
    public func putAll(_ values: [T], in query: any KeyQuery) -> Future<[T]> { write(values, query) }

    private func write<Value: StorableValue>(_ value: Value?, _ query: any KeyQuery) -> Future<Value> {
        Future(reportingTo: store.issues) {
            guard let value else {
                throw CoreError.IllegalArgument("A device storage can't put nil: use `delete` to remove a value.")
            }
            try store.set(value, for: storeKey(query))
            return value
        }
    }
}

extension DeviceStorageDataSource: DeleteDataSource where T: StorableValue {
    /// Deletes what is stored, of whatever type.
    ///
    /// - Parameter query: Its key, behind the prefix.
    /// - Returns: Nothing; a missing key is no error. When it failed, with `StoreError`, the value is still there.
    @discardableResult
    public func delete(_ query: any KeyQuery) -> Future<Void> {
        Future(reportingTo: store.issues) { try store.remove(storeKey(query)) }
    }
}
