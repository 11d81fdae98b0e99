#if Objects
internal import LarderCore

extension ObjectContext {
    /// Inserts a new object with default property values and a permanent id.
    func insert<T: Object>(_ type: T.Type) throws -> T {
        // If the context can't be used, openSource throws the error.
        if !isOpen { _ = try openSource() }
        let entity = try entity(of: type)
        saveChunkIfNeeded()
        unsavedInsertions += 1
        guard entity.type == type else {
            throw ObjectError(
                .invalidModel,
                "\(type) is not the class of the entity \(entity.name) in the model. Add the class to the ObjectModel."
            )
        }
        let state = make(entity, try nextRowID())
        // The object must stay referenced. Its defaults may run client code that saves, and a save releases unreferenced objects.
        let object = instance(of: state)
        state.setDefaults()
        list(state)
        // The cast is safe because the instance was created by the initializer of the final class `T`.
        return unsafeDowncast(object, to: T.self)
    }
}

extension Object {
    /// Reads a property, and throws an error if reading fails.
    ///
    /// The property's accessor can't throw, so it reports an issue instead.
    ///
    /// - Parameter keyPath: The key path of an attribute or a relationship.
    /// - Returns: The property's value.
    /// - Throws: ``ObjectError`` with code `notConvertible` or `faultFailed`, or any error that occurs while reading the database.
    public func load<Value>(_ keyPath: KeyPath<Self, Value>) throws -> Value {
        let state = objectState
        let context = state.context
        switch state.entity.description.propertiesByKeyPath[keyPath] {
        case .attribute(let place)?:
            let column = context.exclusively { state.column(place) }
            let attribute = state.entity.description.attributes[place]
            // Values are decoded without holding the context's lock, because decoding may run client code.
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
