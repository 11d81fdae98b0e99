#if Objects
/// The result of an upsert or a sync.
public struct SyncResult: Sendable, Hashable {
    /// The ids of the inserted objects.
    public var inserted: [ObjectID] = []
    /// The ids of the objects whose values changed.
    public var updated: [ObjectID] = []
    /// The number of matching objects that already had the new values.
    public var unchanged = 0
    /// The ids of the deleted objects.
    ///
    /// A deleted object had no matching value, or was merged into another object.
    public var deleted: [ObjectID] = []
}

extension WritableStorageType {
    /// Updates the objects whose key matches a value, and inserts objects for unmatched values.
    ///
    /// An object that already has the new values is not written. If several values have the same key, the last value wins.
    ///
    /// If `update` sets a unique value that another object already has, and no value matches the other object, references to the other
    /// object are redirected to the updated object, and the other object is deleted. Two objects may swap unique values.
    ///
    /// - Parameters:
    ///   - values: The values to store.
    ///   - type: The class of the objects.
    ///   - objectKey: The property that identifies an object.
    ///   - valueKey: The corresponding property of a value.
    ///   - update: A closure that sets an object's properties from a value, including the key.
    /// - Returns: The ids of the inserted, updated and deleted objects, and the number of unchanged objects.
    /// - Throws: ``ObjectError`` if the objects can't be read, or any error that `update` throws.
    /// - Complexity: One query, plus one query for each other unique constraint whose values change.
    @discardableResult
    public func upsert<T: Object, Value, Key: Hashable & Sendable>(
        _ values: [Value],
        into type: T.Type,
        by objectKey: KeyPath<T, Key>,
        key valueKey: KeyPath<Value, Key>,
        update: (T, Value) throws -> Void
    ) throws -> SyncResult {
        let present = try allObjects(ofType: type, matching: objectKey.in(values.map { $0[keyPath: valueKey] }))
        var result = SyncResult()
        let kept = try bring(values, present, objectKey, valueKey, update, &result)
        result.deleted += try mergeConflicts(kept)
        return result
    }

    /// Makes the objects in a scope match the given values.
    ///
    /// Missing objects are inserted, objects that differ are updated, and objects without a matching value are deleted.
    ///
    /// Objects that already have the new values are not written and don't trigger notifications. If several values have the same key, the
    /// last value wins.
    ///
    /// - Parameters:
    ///   - values: The values to store.
    ///   - type: The class of the objects.
    ///   - scope: The filter that selects the objects to compare with the values, or `nil` for all objects of the class.
    ///   - objectKey: The property that identifies an object in the scope.
    ///   - valueKey: The corresponding property of a value.
    ///   - update: A closure that sets an object's properties from a value, including the key and the properties that define the scope.
    /// - Returns: The ids of the inserted, updated and deleted objects, and the number of unchanged objects.
    /// - Throws: ``ObjectError`` if the objects can't be read, or any error that `update` throws.
    /// - Complexity: One query, plus the queries needed for deletions.
    @discardableResult
    public func sync<T: Object, Value, Key: Hashable & Sendable>(
        _ values: [Value],
        into type: T.Type,
        scope: Filter<T>? = nil,
        by objectKey: KeyPath<T, Key>,
        key valueKey: KeyPath<Value, Key>,
        update: (T, Value) throws -> Void
    ) throws -> SyncResult {
        let present = try allObjects(ofType: type, matching: scope)
        var result = SyncResult()
        let kept = try bring(values, present, objectKey, valueKey, update, &result)
        let known = Set(kept)
        for object in present where !known.contains(object) {
            result.deleted.append(object.objectID)
            try deleteObject(object)
        }
        result.deleted += try mergeConflicts(kept)
        return result
    }

    /// Deletes all matching objects.
    ///
    /// Related objects are deleted according to the delete rules.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - filter: The condition that objects must meet.
    /// - Returns: The number of deleted objects of the class.
    /// - Throws: ``ObjectError`` if the filter can't be translated into SQL or the database can't be read.
    @discardableResult
    public func deleteObjects<T: Object>(ofType type: T.Type, matching filter: Filter<T>) throws -> Int {
        let objects = try allObjects(ofType: type, matching: filter)
        for object in objects { try deleteObject(object) }
        return objects.count
    }

    /// Updates the objects in `present` whose key matches a value, and inserts objects for unmatched values.
    private func bring<T: Object, Value, Key: Hashable>(
        _ values: [Value],
        _ present: [T],
        _ objectKey: KeyPath<T, Key>,
        _ valueKey: KeyPath<Value, Key>,
        _ update: (T, Value) throws -> Void,
        _ result: inout SyncResult
    ) throws -> [T] {
        guard let context = (self as? WriterStorage)?.context else {
            return try compare(values, present, objectKey, valueKey, update, &result)
        }
        return try context.comparing { try compare(values, present, objectKey, valueKey, update, &result) }
    }

    private func compare<T: Object, Value, Key: Hashable>(
        _ values: [Value],
        _ present: [T],
        _ objectKey: KeyPath<T, Key>,
        _ valueKey: KeyPath<Value, Key>,
        _ update: (T, Value) throws -> Void,
        _ result: inout SyncResult
    ) throws -> [T] {
        var objects = Dictionary(present.map { ($0[keyPath: objectKey], $0) }, uniquingKeysWith: { first, _ in first })
        var inserted: Set<T> = []
        var seen: Set<T> = []
        var kept: [T] = []
        for value in values {
            let key = value[keyPath: valueKey]
            let object: T
            if let known = objects[key] {
                object = known
            } else {
                object = try insertNewObject(ofType: T.self)
                objects[key] = object
                inserted.insert(object)
                result.inserted.append(object.objectID)
            }
            try update(object, value)
            if seen.insert(object).inserted { kept.append(object) }
        }
        for object in kept where !inserted.contains(object) {
            if object.hasChanges { result.updated.append(object.objectID) } else { result.unchanged += 1 }
        }
        return kept
    }

    /// Merges stored objects into the elements of `objects` that have the same unique values, and returns the ids of the deleted objects.
    func mergeConflicts<T: Object>(_ objects: [T]) throws -> [ObjectID] {
        guard let context = objects.first?.objectState.context else { return [] }
        return try context.mergeConflicts(objects.map(\.objectState))
    }
}
#endif
