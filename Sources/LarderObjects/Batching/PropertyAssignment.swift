#if Objects
/// An attribute and its new value in a batch update.
public struct PropertyAssignment<T: Object> {
    let keyPath: PartialKeyPath<T>
    let value: Any
    let apply: (T) -> Void

    /// Creates an assignment that sets one attribute.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the attribute.
    ///   - value: The attribute's new value.
    /// - Returns: The assignment.
    public static func set<Value>(_ keyPath: ReferenceWritableKeyPath<T, Value>, to value: Value) -> PropertyAssignment
    {
        PropertyAssignment(keyPath: keyPath, value: value) { $0[keyPath: keyPath] = value }
    }
}

extension WritableStorageType {
    /// Sets attributes of all matching objects.
    ///
    /// The default implementation, for custom storages, fetches the objects and sets their attributes.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - filter: The condition that an object must meet, or `nil` to match all objects.
    ///   - assignments: The attributes and their new values.
    /// - Returns: The number of changed objects.
    /// - Throws: Any error that occurs while fetching the objects.
    @discardableResult
    public func batchUpdate<T: Object>(
        ofType type: T.Type,
        matching filter: Filter<T>?,
        set assignments: [PropertyAssignment<T>]
    ) throws -> Int {
        let objects = try allObjects(ofType: type, matching: filter)
        for object in objects { for assignment in assignments { assignment.apply(object) } }
        return objects.count { $0.hasChanges }
    }

    /// Deletes all matching objects.
    ///
    /// The default implementation, for custom storages, fetches and deletes the objects.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - filter: The condition that an object must meet, or `nil` to match all objects.
    /// - Returns: The number of deleted objects of the class.
    /// - Throws: Any error that occurs while fetching or deleting the objects.
    @discardableResult
    public func batchDelete<T: Object>(ofType type: T.Type, matching filter: Filter<T>?) throws -> Int {
        let objects = try allObjects(ofType: type, matching: filter)
        for object in objects { try deleteObject(object) }
        return objects.count
    }

    /// Sets attributes of all objects of a class in the database without fetching the objects.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - assignments: The attributes and their new values.
    /// - Returns: The number of objects whose values changed.
    /// - Throws: The same errors as ``batchUpdate(ofType:matching:set:)``.
    @discardableResult
    public func batchUpdate<T: Object>(ofType type: T.Type, set assignments: [PropertyAssignment<T>]) throws -> Int {
        try batchUpdate(ofType: type, matching: nil, set: assignments)
    }

    /// Deletes all objects of a class in the database.
    ///
    /// Related objects are deleted according to the delete rules.
    ///
    /// - Parameter type: The class of the objects.
    /// - Returns: The number of deleted objects of the class.
    /// - Throws: The same errors as ``batchDelete(ofType:matching:)``.
    @discardableResult
    public func batchDelete<T: Object>(ofType type: T.Type) throws -> Int {
        try batchDelete(ofType: type, matching: nil)
    }
}
#endif
