#if Objects
extension WritableStorageType {
    /// Updates the objects whose keys match structs, and inserts objects for unmatched structs.
    ///
    /// An object that already has the new values is not written. If several structs have the same keys, the last struct wins. Objects with
    /// conflicting unique values are merged as in ``upsert(_:into:by:key:update:)``.
    ///
    /// - Parameters:
    ///   - values: The structs to store.
    ///   - keys: The attributes that together identify an object.
    /// - Returns: The ids of the inserted, updated and deleted objects, and the number of unchanged objects.
    /// - Throws: ``ObjectError`` if the objects can't be read, or if a key is not an attribute of both the class and the struct.
    /// - Complexity: One query per 30,000 values, plus the queries that read relationships.
    @discardableResult
    public func upsert<T: ReadOnlyConvertible>(
        _ values: [T.ReadOnlyType],
        by keys: PartialKeyPath<T>...
    ) throws -> SyncResult {
        let group = try BridgedKeys<T>(keys)
        var progress = UpsertProgress()
        guard let context = (self as? WriterStorage)?.context else {
            try upsert(values[...], group, &progress)
            return progress.result
        }
        try context.comparing {
            // If there are several unique constraints, a later batch may resolve a conflict in an earlier batch, so all values are upserted
            // in one batch.
            let isDivided = try values.count > UpsertProgress.part && group.isOnlyUniqueness(in: context)
            let size = isDivided ? UpsertProgress.part : max(1, values.count)
            for start in stride(from: 0, to: values.count, by: size) {
                if start > 0 { context.saveIfPossible() }
                try upsert(values[start..<min(start + size, values.count)], group, &progress)
            }
        }
        return progress.result
    }

    private func upsert<T: ReadOnlyConvertible>(
        _ values: ArraySlice<T.ReadOnlyType>,
        _ group: BridgedKeys<T>,
        _ progress: inout UpsertProgress
    ) throws {
        let values = Array(values)
        let wanted = try group.keys(values)
        let present = try group.objects(wanted, in: self)
        var result = SyncResult()
        let targets = try bring(values, wanted, present, group, &result)
        defer { for target in targets { target.isMet = false } }
        let found = (group.columns, Array(targets.prefix(present.count)))
        result.deleted += try mergeConflicts(targets.filter(\.isMet), present: found)
        let unchanged = targets.prefix(present.count).filter { $0.isMet && !$0.hasChanges }.map(\.rowID)
        progress.add(result, unchanged: unchanged)
    }

    /// Makes the objects in a scope match the given structs.
    ///
    /// Missing objects are inserted, objects that differ are updated, and objects without a matching struct are deleted.
    ///
    /// An object that already has the new values is not written, and observers are not notified of the object.
    ///
    /// - Parameters:
    ///   - values: The structs to store.
    ///   - scope: The filter that selects the objects to compare with the structs, or `nil` for all objects of the class.
    ///   - keys: The attributes that together identify an object in the scope.
    /// - Returns: The ids of the inserted, updated and deleted objects, and the number of unchanged objects.
    /// - Throws: ``ObjectError`` if the objects can't be read, or if a key is not an attribute of both the class and the struct.
    /// - Complexity: One query, plus the queries that read relationships.
    @discardableResult
    public func sync<T: ReadOnlyConvertible>(
        _ values: [T.ReadOnlyType],
        scope: Filter<T>? = nil,
        by keys: PartialKeyPath<T>...
    ) throws -> SyncResult {
        let group = try BridgedKeys<T>(keys)
        let present = try allObjects(ofType: T.self, matching: scope)
        var result = SyncResult()
        let targets = try bring(values, try group.keys(values), present, group, &result)
        defer { for target in targets { target.isMet = false } }
        // A loop over indexes avoids the run-time lookups of a zip of generic sequences.
        for place in 0..<present.count where !targets[place].isMet {
            result.deleted.append(targets[place].objectID)
            try deleteObject(present[place])
        }
        result.deleted += try mergeConflicts(targets.filter(\.isMet))
        return result
    }

    /// Updates the objects whose keys match structs, and inserts objects for unmatched structs.
    ///
    /// - Returns: The states of the objects in `present`, followed by the states of the inserted objects. The `isMet` flag of each state
    ///   with a matching struct is `true`.
    private func bring<T: ReadOnlyConvertible>(
        _ values: [T.ReadOnlyType],
        _ keys: [BridgedKey],
        _ present: [T],
        _ group: BridgedKeys<T>,
        _ result: inout SyncResult
    ) throws -> [ObjectState] {
        var objects = present
        var targets = T.states(of: present)
        var known = KeyIndex(targets, group.columns, integers: keys)
        var places: [Int] = []
        places.reserveCapacity(keys.count)
        for key in keys {
            if let place = known[key] {
                places.append(place)
                continue
            }
            let object = try insertNewObject(ofType: T.self)
            known[key] = objects.count
            places.append(objects.count)
            objects.append(object)
            targets.append(object.objectState)
            result.inserted.append(object.objectID)
        }
        T.update(objects, with: values, at: places)
        for place in places { targets[place].isMet = true }
        for target in targets.prefix(present.count) where target.isMet {
            if target.hasChanges { result.updated.append(target.objectID) } else { result.unchanged += 1 }
        }
        return targets
    }

    private func mergeConflicts(
        _ states: [ObjectState],
        present: (columns: [Int], states: [ObjectState])? = nil
    ) throws -> [ObjectID] {
        guard let context = states.first?.context else { return [] }
        return try context.mergeConflicts(states, present: present)
    }
}

/// The accumulated result of a batched upsert.
private struct UpsertProgress {
    /// The number of values per batch.
    ///
    /// The upsert tries to save between batches to limit memory use.
    static let part = 20_000

    private(set) var result = SyncResult()
    /// The ids of the rows that earlier batches wrote.
    ///
    /// A later write to the same row is not counted again.
    private var written = RowIDSet()
    private var unchanged = RowIDSet()

    mutating func add(_ part: SyncResult, unchanged rows: [Int64]) {
        for id in part.inserted where written.insert(id.rowID) { result.inserted.append(id) }
        for id in part.updated where written.insert(id.rowID) {
            result.updated.append(id)
            if unchanged.contains(id.rowID) { result.unchanged -= 1 }
        }
        for row in rows where !written.contains(row) && unchanged.insert(row) { result.unchanged += 1 }
        result.deleted += part.deleted
    }
}

/// An index that maps keys to array positions, with a fast path for single integer keys.
private struct KeyIndex {
    private var integers: [Int64: Int] = [:]
    private var others: [BridgedKey: Int] = [:]

    /// Creates an index of the positions in `states`, keyed by the values in `columns`.
    ///
    /// The fast path is used if all of `keys` are integers.
    init(_ states: [ObjectState], _ columns: [Int], integers keys: [BridgedKey]) {
        if columns.count == 1, keys.allSatisfy({ $0.first.integerValue != nil }) {
            integers.reserveCapacity(states.count)
            for (place, state) in states.enumerated() {
                if let key = state.reference(columns[0]) { integers[key] = place }
            }
        } else {
            others.reserveCapacity(states.count)
            for (place, state) in states.enumerated() {
                others[BridgedKey(first: state.column(columns[0]), rest: columns.dropFirst().map(state.column))] = place
            }
        }
    }

    subscript(key: BridgedKey) -> Int? {
        get { if let integer = key.integer { integers[integer] ?? others[key] } else { others[key] } }
        set { if let integer = key.integer { integers[integer] = newValue } else { others[key] = newValue } }
    }
}
#endif
