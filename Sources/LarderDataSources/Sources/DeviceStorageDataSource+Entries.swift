public import LarderCore

extension DeviceStorageDataSource: EntriesDataSource where T: StorableValue {
    /// Every single value behind the prefix with its key, sorted by key.
    ///
    /// - Returns: The entries at one moment, lists of `T` left out. Fails with `CoreError.NotFound`, naming the key, when a value
    ///   is neither a `T` nor a list of them, and with `CoreError.QueryNotSupported` without a prefix.
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
    /// Changes one value in one transaction of the store.
    ///
    /// - Parameters:
    ///   - query: Its key, behind the prefix.
    ///   - change: Runs again when another writer came between.
    /// - Returns: The value as it is now. Fails with `CoreError.NotFound`, and changes nothing, when what is there is no `T`.
    @discardableResult
    public func update(
        _ query: any KeyQuery,
        _ change: @escaping @Sendable (inout T?) throws -> Void
    ) -> Future<T?> {
        Future(reportingTo: store.issues) { try self.change(query.key, change) }
    }
}

extension DeviceStorageDataSource: ObservableDataSource where T: StorableValue {
    /// What changes from now on under the keys of a query, whoever changes it.
    ///
    /// - Parameter query: Keys behind the prefix.
    /// - Returns: A sequence for one reader.
    public func changes(for query: any StorageQuery) -> DataSourceChanges<T> {
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

    /// What a change of a whole dictionary changed in it.
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
    /// The device, or memory where the store keeps nothing beyond the process.
    public var storedOrigin: StoredOrigin { store.capabilities.survivesProcess ? .device : .memory }
}
