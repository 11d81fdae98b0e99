#if Objects
extension ObjectState {
    /// Returns the related object of a to-one relationship.
    ///
    /// If the object is not in memory, the related objects of all objects from the same fetch are read together.
    ///
    /// - Parameters:
    ///   - index: The index of the relationship.
    ///   - type: The class of the related object.
    /// - Returns: The related object, or `nil` if there is none or the object could not be read. A failed read is reported as an issue.
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

    /// Returns the related object of a required to-one relationship.
    ///
    /// - Parameters:
    ///   - index: The index of the relationship.
    ///   - type: The class of the related object.
    /// - Returns: The related object, or a placeholder if the object is not set or could not be read. A placeholder has default values and
    ///   can't be changed.
    public func requiredOne<Other: Object>(_ index: Int, _ type: Other.Type) -> Other {
        if let object = one(index, type) { return object }
        return Other(objectState: context.placeholder(context.model.entities[entity.relationships[index].destination]))
    }

    /// Returns the objects in a to-many relationship.
    ///
    /// If the objects can't be read, an issue is reported, and the last known objects are returned.
    ///
    /// - Parameters:
    ///   - index: The index of the relationship.
    ///   - type: The class of the related objects.
    /// - Returns: The related objects, in their stored order if the relationship is ordered, otherwise in insertion order.
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

    /// Sets the related object of a to-one relationship, and updates the inverse relationship.
    ///
    /// - Parameters:
    ///   - index: The index of the relationship.
    ///   - object: An object in the same storage, or `nil`.
    public func setOne<Other: Object>(_ index: Int, _ object: Other?) {
        setMany(index, object.map { [$0] } ?? [])
    }

    /// Replaces the objects in a to-many relationship, and updates the inverse relationship.
    ///
    /// - Parameters:
    ///   - index: The index of the relationship.
    ///   - objects: Objects in the same storage. Duplicates are ignored.
    public func setMany<Other: Object>(_ index: Int, _ objects: [Other]) {
        guard context.mayChange(self, .relationship(index)) else { return }
        for object in objects where !canLink(object.objectState) { return }
        let relationship = entity.relationships[index]
        context.fault(self, relationship) {
            try context.setTargets(of: self, relationship, objects.map(\.objectState.rowID))
        }
    }

    /// Appends objects to a to-many relationship.
    ///
    /// - Parameters:
    ///   - index: The index of the relationship.
    ///   - objects: Objects in the same storage. Objects that are already in the relationship keep their positions.
    public func add<Other: Object>(_ index: Int, _ objects: [Other]) {
        let present = many(index, Other.self)
        let known = Set(present)
        setMany(index, present + objects.filter { !known.contains($0) })
    }

    /// Removes objects from a to-many relationship.
    ///
    /// - Parameters:
    ///   - index: The index of the relationship.
    ///   - objects: Objects in the same storage. Objects that are not in the relationship are ignored.
    public func remove<Other: Object>(_ index: Int, _ objects: [Other]) {
        let removed = Set(objects)
        setMany(index, many(index, Other.self).filter { !removed.contains($0) })
    }

    private func canLink(_ other: ObjectState) -> Bool {
        if other.context !== context {
            context.refuseChange(
                self,
                "\(other.objectID) belongs to another storage. Load it by its id in this storage"
            )
            return false
        }
        guard other.status == .stored || other.status == .inserted else {
            context.refuseChange(self, "\(other.objectID) is deleted. Use another object")
            return false
        }
        return true
    }

    private func probe<Other: Object>(_ type: Other.Type) -> Other? {
        // The model was validated when the database was opened, so it contains the destination.
        guard let destination = try? context.model.entity(of: type) else { return nil }
        return Other(objectState: ObjectState(entity: destination, rowID: 0, context: context, status: .probe))
    }
}
#endif
