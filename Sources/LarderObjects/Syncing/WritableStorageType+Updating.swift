#if Objects
extension WritableStorageType {
    /// Updates the object from which a struct was read with an edited copy of the struct, unless another writer changed the same
    /// properties.
    ///
    /// Only edited properties are written, so that changes by other writers to other properties are kept. Values are compared as they are
    /// stored, and nested structs as a whole. A struct without edits is never in conflict.
    ///
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - keys: The attributes that together identify the object. Their values are those in `read`.
    ///   - edited: The edited struct.
    ///   - read: The struct as it was read.
    ///   - policy: What to do about properties that another writer changed differently.
    /// - Returns: The object, or `nil` if it was deleted and no edit or the policy accepts the deletion.
    /// - Throws: ``ObjectError`` with code `conflict`, whose ``ObjectError/conflicts`` lists the object and the properties. Nothing is
    ///   changed then.
    /// - Complexity: One query, plus the queries that read relationships.
    @discardableResult
    public func update<T: ReadOnlyConvertible>(
        _ type: T.Type,
        by keys: PartialKeyPath<T>...,
        from edited: T.ReadOnlyType,
        expecting read: T.ReadOnlyType,
        onConflict policy: ConflictPolicy<T.ReadOnlyType> = .fail
    ) throws -> T? {
        try update(BridgedKeys<T>(keys), [(edited, read)], policy).first?.object
    }

    /// Updates the objects from which structs were read with edited copies of the structs, unless another writer changed the same
    /// properties.
    ///
    /// All structs are compared first. If any object is in conflict, the error lists all conflicts, and no object is changed. See
    /// ``update(_:by:from:expecting:onConflict:)``.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - keys: The attributes that together identify an object. Their values are those in the structs as they were read.
    ///   - edits: The edited structs, each with the struct as it was read.
    ///   - policy: What to do about properties that another writer changed differently.
    /// - Throws: ``ObjectError`` with code `conflict`, whose ``ObjectError/conflicts`` lists the objects and the properties, or with code
    ///   `duplicate` if two edits are of the same object. Nothing is changed then.
    /// - Complexity: One query per 30,000 structs, plus the queries that read relationships.
    public func update<T: ReadOnlyConvertible>(
        _ type: T.Type,
        by keys: PartialKeyPath<T>...,
        from edits: [(edited: T.ReadOnlyType, read: T.ReadOnlyType)],
        onConflict policy: ConflictPolicy<T.ReadOnlyType> = .fail
    ) throws {
        _ = try update(BridgedKeys<T>(keys), edits, policy)
    }

    private func update<T: ReadOnlyConvertible>(
        _ group: BridgedKeys<T>,
        _ edits: [(edited: T.ReadOnlyType, read: T.ReadOnlyType)],
        _ policy: ConflictPolicy<T.ReadOnlyType>
    ) throws -> [StructEdit<T>] {
        let keys = try group.keys(edits.map(\.read))
        var objects: [BridgedKey: T] = [:]
        for object in try group.objects(keys, in: self) {
            let key = group.key(object)
            if objects.updateValue(object, forKey: key) != nil { throw duplicate("objects have", group, key) }
        }
        var seen: Set<BridgedKey> = []
        for key in keys where !seen.insert(key).inserted { throw duplicate("edits are for", group, key) }
        let structs = zip(keys, edits).map { key, edit in
            StructEdit(
                object: objects[key],
                objectID: objects[key]?.objectID,
                key: group.description(of: key),
                edited: edit.edited,
                read: edit.read
            )
        }
        guard let context = (self as? WriterStorage)?.context ?? objects.values.first?.objectState.context else {
            // Without any object, a custom storage has no model with which to find out what was edited.
            if structs.isEmpty { return [] }
            throw ObjectError.conflict(structs.map { $0.conflict([]) }, path: nil)
        }
        try StructEdit.apply(structs, in: context, policy)
        return structs
    }

    private func duplicate<T>(_ what: String, _ group: BridgedKeys<T>, _ key: BridgedKey) -> ObjectError {
        ObjectError(
            .duplicate,
            "Nothing was changed because 2 \(what) the key \(group.description(of: key)) of \(T.entityName). Pass attributes that identify "
                + "one object, and one edit for each object."
        )
    }
}

extension ReadOnlyConvertible {
    /// Updates this object with an edited copy of a struct that was read from it, unless another writer changed the same properties.
    ///
    /// See ``WritableStorageType/update(_:by:from:expecting:onConflict:)``.
    ///
    /// - Parameters:
    ///   - edited: The edited struct.
    ///   - read: The struct as it was read.
    ///   - policy: What to do about properties that another writer changed differently.
    /// - Throws: ``ObjectError`` with code `conflict`, whose ``ObjectError/conflicts`` lists the properties, or with code `foreignObject`
    ///   if the object belongs to the view. Nothing is changed then.
    public func update(
        from edited: ReadOnlyType,
        expecting read: ReadOnlyType,
        onConflict policy: ConflictPolicy<ReadOnlyType> = .fail
    ) throws {
        let state = objectState
        _ = try state.context.openSource()
        guard state.context.isWritable else {
            throw ObjectError(
                .foreignObject,
                "\(objectID) can't be changed because it belongs to the read-only view. Load it by its id inside performAndSave."
            )
        }
        let edit = StructEdit(
            object: state.status == .stored || state.status == .inserted ? self : nil,
            objectID: objectID,
            key: "objectID \(objectID.rowID)",
            edited: edited,
            read: read
        )
        try StructEdit.apply([edit], in: state.context, policy)
    }
}
#endif
