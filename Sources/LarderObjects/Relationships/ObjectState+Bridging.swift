#if Objects
extension ObjectState {
    /// Updates a to-many relationship from an array of plain values.
    ///
    /// The code that the `@Entity` macro generates calls this method.
    ///
    /// Objects are matched with values by the first unique constraint of their class, or by position if there is none. An object without a
    /// matching value is deleted if the delete rule is `cascade`. Otherwise, the object is only removed from the relationship.
    ///
    /// - Parameters:
    ///   - index: The index of the relationship.
    ///   - type: The class of the related objects.
    ///   - values: The plain values in order.
    public func updateMany<Other: ReadOnlyConvertible>(
        _ index: Int,
        _ type: Other.Type,
        with values: [Other.ReadOnlyType]
    ) {
        guard context.mayChange(self, .relationship(index)) else { return }
        let relationship = entity.relationships[index]
        context.fault(self, relationship) {
            let present = try context.list(of: self, relationship)
            let objects = try context.bring(values, into: type, present: present)
            try context.setTargets(of: self, relationship, objects.map(\.objectState.rowID))
            guard relationship.deleteRule == .cascade else { return }
            let kept = Set(objects.map(\.objectState.rowID))
            let gone = present.filter { !kept.contains($0) }
            for entry in try context.entries(context.model.entities[relationship.destination], gone) {
                try context.delete(entry)
            }
        }
    }

    /// Updates a to-one relationship from a plain value.
    ///
    /// The code that the `@Entity` macro generates calls this method.
    ///
    /// - Parameters:
    ///   - index: The index of the relationship.
    ///   - type: The class of the related object.
    ///   - value: The plain value. If it is `nil`, the related object is deleted if the delete rule is `cascade`, and otherwise only
    ///     removed from the relationship.
    public func updateOne<Other: ReadOnlyConvertible>(
        _ index: Int,
        _ type: Other.Type,
        with value: Other.ReadOnlyType?
    ) {
        updateMany(index, type, with: value.map { [$0] } ?? [])
    }
}

extension ObjectContext {
    /// Updates the objects that match plain values, and inserts objects for unmatched values.
    fileprivate func bring<T: ReadOnlyConvertible>(
        _ values: [T.ReadOnlyType],
        into type: T.Type,
        present: [Int64]
    ) throws -> [T] {
        let entity = try model.entity(of: type)
        let places = try entries(entity, present)
        var known: [[ColumnValue]: ObjectState] = [:]
        var keys: [[ColumnValue]?] = []
        if let identity = entity.identity, !isScratch {
            keys = values.map { value in
                let key = identity.compactMap { T.columnValue($0, of: value) }
                return key.count == identity.count && !key.contains(where: \.isNull) ? key : nil
            }
            for entry in places { known[identity.map(entry.column)] = entry }
            let missing = Set(keys.compactMap { $0 }.filter { known[$0] == nil })
            if !missing.isEmpty {
                for state in try states(entity, identity, Array(missing)) {
                    known[identity.map(state.column)] = state
                }
            }
        }
        let hasIdentity = keys.contains { $0 != nil }
        return try values.indices.map { index in
            var state: ObjectState?
            if hasIdentity {
                state = keys[index].flatMap { known[$0] }
            } else if index < places.count {
                state = places[index]
            }
            let object: T
            if let state, let there = instance(of: state) as? T {
                object = there
            } else {
                object = try insert(type)
                if let key = keys.indices.contains(index) ? keys[index] : nil { known[key] = object.objectState }
            }
            object.update(with: values[index])
            return object
        }
    }
}
#endif
