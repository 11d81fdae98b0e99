#if Objects
extension ObjectState {
    /// The object that a relationship leads to.
    ///
    /// Reads it from the database if nobody has yet, and with it those of all objects of the same fetch.
    ///
    /// - Parameters:
    ///   - index: The place of the relationship among those of its class.
    ///   - type: The class of the object.
    /// - Returns: The object, or `nil` when there is none or it could not be read, which is reported.
    public func one<Other: Object>(_ index: Int, _ type: Other.Type) -> Other? {
        if isProbe {
            PropertyProbe.record(.relationship(index))
            return probe(Other.self)
        }
        let relationship = entity.relationships[index]
        let target = context.exclusively { () -> (state: ObjectState, instance: AnyObject?)? in
            guard status != .placeholder else { return nil }
            let target = context.fault(self, relationship) { try context.target(of: self, relationship) } ?? nil
            return target.map { ($0, $0.object) }
        }
        return target.flatMap { ($0.instance ?? context.instance(of: $0.state)) as? Other }
    }

    /// The object that a relationship always leads to.
    ///
    /// - Parameters:
    ///   - index: The place of the relationship among those of its class.
    ///   - type: The class of the object.
    /// - Returns: The object. When there is none yet, or it could not be read, one with defaults that takes no changes.
    public func requiredOne<Other: Object>(_ index: Int, _ type: Other.Type) -> Other {
        if let object = one(index, type) { return object }
        return Other(objectState: context.placeholder(context.model.entities[entity.relationships[index].destination]))
    }

    /// The objects that a relationship leads to.
    ///
    /// - Parameters:
    ///   - index: The place of the relationship among those of its class.
    ///   - type: The class of the objects.
    /// - Returns: The objects, in their order if it is kept, or else in the order they were inserted. When they could not be
    ///   read, which is reported, what was known last.
    public func many<Other: Object>(_ index: Int, _ type: Other.Type) -> [Other] {
        if isProbe {
            PropertyProbe.record(.relationship(index))
            return (0..<PropertyProbe.members).compactMap { _ in probe(Other.self) }
        }
        let relationship = entity.relationships[index]
        let states = context.exclusively { () -> [ObjectState] in
            guard status != .placeholder else { return [] }
            return context.fault(self, relationship) {
                let ids = try context.list(of: self, relationship)
                return try context.entries(context.model.entities[relationship.destination], ids)
            } ?? []
        }
        return context.instances(Other.self, of: states)
    }

    /// Makes a relationship lead to one object or none, and its inverse lead back.
    ///
    /// - Parameters:
    ///   - index: The place of the relationship among those of its class.
    ///   - object: An object of the same storage.
    public func setOne<Other: Object>(_ index: Int, _ object: Other?) {
        setMany(index, object.map { [$0] } ?? [])
    }

    /// Makes a relationship lead to exactly these objects, and its inverse lead back.
    ///
    /// - Parameters:
    ///   - index: The place of the relationship among those of its class.
    ///   - objects: Objects of the same storage. One that is there twice counts once.
    public func setMany<Other: Object>(_ index: Int, _ objects: [Other]) {
        guard context.mayChange(self) else { return }
        for object in objects where !canLink(object.objectState) { return }
        let relationship = entity.relationships[index]
        context.fault(self, relationship) {
            try context.setTargets(of: self, relationship, objects.map(\.objectState.rowID))
        }
    }

    /// Adds objects at the end of a relationship to many.
    ///
    /// - Parameters:
    ///   - index: The place of the relationship among those of its class.
    ///   - objects: Objects of the same storage. One that is there already stays where it is.
    public func add<Other: Object>(_ index: Int, _ objects: [Other]) {
        let present = many(index, Other.self)
        let known = Set(present)
        setMany(index, present + objects.filter { !known.contains($0) })
    }

    /// Removes objects from a relationship to many.
    ///
    /// - Parameters:
    ///   - index: The place of the relationship among those of its class.
    ///   - objects: Objects of the same storage. One that is not there is passed over.
    public func remove<Other: Object>(_ index: Int, _ objects: [Other]) {
        let removed = Set(objects)
        setMany(index, many(index, Other.self).filter { !removed.contains($0) })
    }

    private func canLink(_ other: ObjectState) -> Bool {
        if other.context !== context {
            context.refuseChange(self, "\(other.objectID) belongs to another storage: load it by its id in this one")
            return false
        }
        guard other.status == .stored || other.status == .inserted else {
            context.refuseChange(self, "\(other.objectID) was deleted, and nothing can lead to it")
            return false
        }
        return true
    }

    private func probe<Other: Object>(_ type: Other.Type) -> Other? {
        // The model was found whole when it was opened: each relationship leads to one of its entities.
        guard let destination = try? context.model.entity(of: type) else { return nil }
        return Other(objectState: ObjectState(entity: destination, rowID: 0, context: context, status: .probe))
    }
}
#endif
