#if Objects
/// What ``WritableStorageType/sync(_:into:scope:by:key:update:)`` did.
public struct SyncResult: Sendable, Hashable {
    /// Objects that are new.
    public var inserted: [ObjectID] = []
    /// Objects that got other values.
    public var updated: [ObjectID] = []
    /// Objects whose values were what they should be.
    public var unchanged = 0
    /// Objects for which there was no value, and those that another one took the place of.
    public var deleted: [ObjectID] = []
}

extension WritableStorageType {
    /// Brings values into objects: those that are there by a key are updated, the others inserted.
    ///
    /// An object whose values are the same already is not written. Of several values with one key the last counts. Where an
    /// object gets a unique value that another one has, for which there is no value, the other one is merged into it: what
    /// refers to it refers to the first one, and it is deleted. Two objects may swap unique values.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - type: The class of the objects.
    ///   - objectKey: What an object is recognised by.
    ///   - valueKey: The same of a value.
    ///   - update: Sets the properties of an object from a value; the key's too.
    /// - Returns: What was done.
    /// - Throws: ``ObjectError`` when the objects can't be read, or what `update` threw.
    /// - Complexity: One query, however many values, and one for each uniqueness beside the key's whose values change.
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
        result.deleted += try mergeClashes(kept)
        return result
    }

    /// Makes the objects of a scope what the values are: inserts what is new, updates what differs, deletes what is gone.
    ///
    /// An object whose values are the same already is not written, so that nobody is told of it. Of several values with one
    /// key the last counts.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - type: The class of the objects.
    ///   - scope: Which objects the values stand for; all of the class without one.
    ///   - objectKey: What an object is recognised by within the scope.
    ///   - valueKey: The same of a value.
    ///   - update: Sets the properties of an object from a value; the key's and those of the scope too.
    /// - Returns: What was done.
    /// - Throws: ``ObjectError`` when the objects can't be read, or what `update` threw.
    /// - Complexity: One query, however many values, and those that deleting takes.
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
        result.deleted += try mergeClashes(kept)
        return result
    }

    /// Deletes the objects of a filter, and what their relationships say goes with them.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - filter: Which of them.
    /// - Returns: How many there were.
    /// - Throws: ``ObjectError`` when the filter can't be turned into SQL, or the database can't be read.
    @discardableResult
    public func deleteObjects<T: Object>(ofType type: T.Type, matching filter: Filter<T>) throws -> Int {
        let objects = try allObjects(ofType: type, matching: filter)
        for object in objects { try deleteObject(object) }
        return objects.count
    }

    /// Updates and inserts, and says which objects the values stand for.
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

    /// Merges objects that stand in the way of the unique values that others were given into those.
    func mergeClashes<T: Object>(_ objects: [T]) throws -> [ObjectID] {
        guard let context = objects.first?.objectState.context else { return [] }
        return try context.mergeClashes(objects.map(\.objectState))
    }
}
#endif
