#if Objects
internal import LarderCore

extension ObjectContext {
    /// A new object with its defaults, and the id it keeps.
    func insert<T: Object>(_ type: T.Type) throws -> T {
        // Opening says why it can't be done.
        if !isOpen { _ = try openSource() }
        let entity = try entity(of: type)
        saveInPassing()
        unsavedInsertions += 1
        guard entity.type == type else {
            throw ObjectError(.invalidModel, "\(entity.name) is described by another class than \(type).")
        }
        let state = make(entity, try nextRowID())
        // Held from now on: defaults are the caller's code, which may save, and a save forgets what is not held.
        let object = instance(of: state)
        state.setDefaults()
        list(state)
        // It was made by the initializer of that class, which is final.
        return unsafeDowncast(object, to: T.self)
    }
}

extension Object {
    /// Reads a property as an accessor does, and throws where the accessor reports an issue.
    ///
    /// - Parameter keyPath: An attribute or a relationship.
    /// - Returns: Its value.
    /// - Throws: ``ObjectError`` of code `notConvertible` or `faultFailed`, or why the database could not be read.
    public func load<Value>(_ keyPath: KeyPath<Self, Value>) throws -> Value {
        let state = objectState
        let context = state.context
        switch state.entity.description.propertiesByKeyPath[keyPath] {
        case .attribute(let place)?:
            let column = context.exclusively { state.column(place) }
            let attribute = state.entity.description.attributes[place]
            // The type's own decoding runs outside the gate.
            if !column.isNull, !attribute.canDecode(column) {
                let cause = attribute.decodingError(column)
                let issue = context.notConvertible(state, column: place, cause)
                throw ObjectError(.notConvertible, issue.message, underlying: cause)
            }
        case .relationship(let place)?:
            let relationship = state.entity.relationships[place]
            try context.exclusively {
                _ = try context.openSource()
                if relationship.isToMany {
                    let ids = try context.list(of: state, relationship)
                    _ = try context.entries(context.model.entities[relationship.destination], ids)
                } else {
                    _ = try context.target(of: state, relationship)
                }
            }
        case .key?, nil: break
        }
        return self[keyPath: keyPath]
    }
}
#endif
