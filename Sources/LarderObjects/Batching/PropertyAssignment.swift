#if Objects
/// A property and the value to give it in many objects at once.
public struct PropertyAssignment<T: Object> {
    let keyPath: PartialKeyPath<T>
    let value: Any
    let apply: (T) -> Void

    /// The assignment of a value.
    ///
    /// - Parameters:
    ///   - keyPath: An attribute.
    ///   - value: Its value.
    /// - Returns: The assignment.
    public static func set<Value>(_ keyPath: ReferenceWritableKeyPath<T, Value>, to value: Value) -> PropertyAssignment
    {
        PropertyAssignment(keyPath: keyPath, value: value) { $0[keyPath: keyPath] = value }
    }
}

extension WritableStorageType {
    /// Sets properties of many objects, one after another: what a storage of your own does unless it knows better.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - filter: Which objects; all without one.
    ///   - assignments: The attributes and their values.
    /// - Returns: How many objects have other values now.
    /// - Throws: What reading them throws.
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

    /// Deletes many objects, one after another: what a storage of your own does unless it knows better.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - filter: Which objects; all without one.
    /// - Returns: How many objects of the class are gone.
    /// - Throws: What reading and deleting them throws.
    @discardableResult
    public func batchDelete<T: Object>(ofType type: T.Type, matching filter: Filter<T>?) throws -> Int {
        let objects = try allObjects(ofType: type, matching: filter)
        for object in objects { try deleteObject(object) }
        return objects.count
    }

    /// Sets properties of all objects of a class in the database, without making objects of them.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - assignments: The attributes and their values.
    /// - Returns: How many objects have other values now.
    /// - Throws: What ``batchUpdate(ofType:matching:set:)`` throws.
    @discardableResult
    public func batchUpdate<T: Object>(ofType type: T.Type, set assignments: [PropertyAssignment<T>]) throws -> Int {
        try batchUpdate(ofType: type, matching: nil, set: assignments)
    }

    /// Deletes all objects of a class in the database, and what their relationships say goes with them.
    ///
    /// - Parameter type: The class.
    /// - Returns: How many objects of the class are gone.
    /// - Throws: What ``batchDelete(ofType:matching:)`` throws.
    @discardableResult
    public func batchDelete<T: Object>(ofType type: T.Type) throws -> Int {
        try batchDelete(ofType: type, matching: nil)
    }
}
#endif
