public import LarderCore

extension DeviceStorageDataSource: EntriesDataSource where T: StorableValue {
    /// Returns all values under the prefix except lists of `T`, with their keys, sorted by key.
    ///
    /// - Returns: A future that settles with a consistent snapshot of the entries. It fails with `CoreError.NotFound`, which names the key,
    ///   if a value is neither a `T` nor a list of `T`, and with `CoreError.QueryNotSupported` if the source has no prefix.
    public func entries() -> Future<[DataSourceEntry<T>]> {
        Future(reportingTo: store.issues) {
            try allValues().compactMap { entry in
                if let value = T.converted(from: entry.value, policy: policy) {
                    return DataSourceEntry(key: entry.key, value: value.value)
                }
                if [T].converted(from: entry.value, policy: policy) != nil { return nil }
                throw CoreError.NotFound(
                    .notConvertible(stored: entry.value.kind, asked: "\(T.self)"),
                    key: entry.key
                )
            }
        }
    }
}

extension DeviceStorageDataSource: UpdateDataSource where T: StorableValue {
    /// Reads, changes and writes a value in a single transaction.
    ///
    /// - Parameters:
    ///   - query: A query for the key of the value, without the prefix.
    ///   - change: A closure that changes the value. It runs again after a conflict with another writer.
    /// - Returns: A future that settles with the changed value. It fails with `CoreError.NotFound`, and nothing is changed, if the stored
    ///   value can't be read as `T`.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> {
        Future(reportingTo: store.issues) { try self.change(query.key, change) }
    }
}

extension DeviceStorageDataSource: ObservableDataSource where T: StorableValue {
    /// Returns the changes to the keys that a query selects, including changes made by other writers.
    ///
    /// - Parameter query: A query that selects the keys to observe, without the prefix.
    /// - Returns: A sequence of changes. Iterate it only once.
    public func changes(for query: any StoreQuery) -> DataSourceChanges<T> {
        let buffer = ChangeBuffer<T>()
        let selection = query.selection
        let observation: StoreObservation
        switch layout {
        case .keys(let prefix):
            observation = store.observe(prefix: prefix) { [policy] event in
                Self.forward(event, policy, to: buffer) { entry in
                    let key = entry.key.dropping(prefix)
                    return selection.contains(key) ? [(key, entry.new)] : []
                }
            }
        case .dictionary(let root):
            observation = store.observe(prefix: root.text) { [policy] event in
                Self.forward(event, policy, to: buffer) { entry in
                    guard StoreKey(entry.key) == root else { return [] }
                    return Self.differences(entry).filter { selection.contains($0.0) }
                }
            }
        }
        return DataSourceChanges(buffer: buffer, subscription: observation)
    }

    private static func forward(
        _ event: StoreEvent,
        _ policy: ConversionPolicy,
        to buffer: ChangeBuffer<T>,
        changed: (StoreChange.Entry) -> [(String, StoredValue?)]
    ) {
        switch event {
        case .missed(let count): buffer.append(.missed(count)).carryOut()
        case .change(let change):
            for (key, stored) in change.entries.flatMap(changed) {
                if let value = stored.flatMap({ T.converted(from: $0, policy: policy) }) {
                    buffer.append(.value(value.value, key: key)).carryOut()
                } else if let list = stored.flatMap({ [T].converted(from: $0, policy: policy) }) {
                    buffer.append(.list(list.value, key: key)).carryOut()
                } else {
                    buffer.append(.gone(key: key)).carryOut()
                }
            }
        }
    }

    /// Returns the entries that differ between the old and the new dictionary stored under a key.
    ///
    /// The value of a removed entry is `nil`.
    private static func differences(_ entry: StoreChange.Entry) -> [(String, StoredValue?)] {
        func entries(_ value: StoredValue?) -> StoredDictionary {
            if case .dictionary(let entries)? = value { entries } else { [:] }
        }
        let (old, new) = (entries(entry.old), entries(entry.new))
        return new.filter { old[$0.key] != $0.value }.map { ($0.key, $0.value) }
            + old.filter { new[$0.key] == nil }.map { ($0.key, nil) }
    }
}

extension DeviceStorageDataSource: PlacedDataSource {
    /// The origin of the values, which is `device`, or `memory` if the store does not outlive the process.
    public var storedOrigin: StoredOrigin { store.capabilities.survivesProcess ? .device : .memory }
}
