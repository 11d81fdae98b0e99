#if Objects
internal import LarderCore

/// An edited struct, the struct as it was read, and the object to update.
struct StructEdit<T: ReadOnlyConvertible> {
    /// The object, or `nil` if it was deleted.
    let object: T?
    /// The object's id, if it is known.
    let objectID: ObjectID?
    let key: String
    let edited: T.ReadOnlyType
    let read: T.ReadOnlyType

    enum Decision {
        case unchanged
        case write(T.ReadOnlyType, only: Set<PropertyReference>)
        case writeAll(T.ReadOnlyType)
        case conflict(ObjectConflict)
    }

    /// Compares the structs with the stored object, and decides what to write.
    ///
    /// This changes neither the object nor the database.
    func decision(in context: ObjectContext, _ policy: ConflictPolicy<T.ReadOnlyType>) throws -> Decision {
        try StoredForms<T>.with(context) { forms in
            let (mine, before) = (try forms.properties(of: edited), try forms.properties(of: read))
            guard let object else {
                let edits = zip(mine, before).filter { $0 != $1 }.map(\.0)
                return edits.isEmpty ? .unchanged : try decisionForDeletedObject(edits, policy)
            }
            let stored = object.toReadOnly()
            // This throws an error if a relationship could not be read.
            _ = try context.openSource()
            let comparison = ThreeWayComparison(mine: mine, read: before, theirs: try forms.properties(of: stored))
            let edits = Set(comparison.edited.map(\.reference))
            if edits.isEmpty { return .unchanged }
            if comparison.conflicts.isEmpty { return .write(edited, only: edits) }
            switch policy.kind {
            case .fail: return .conflict(conflict(comparison.conflicts))
            case .mine: return .write(edited, only: edits)
            case .theirs: return .write(edited, only: edits.subtracting(comparison.conflicts.map(\.reference)))
            case .resolve(let body): return try body(edited, stored, read).map(Decision.writeAll) ?? .unchanged
            }
        }
    }

    private func decisionForDeletedObject(
        _ edits: [StoredProperty],
        _ policy: ConflictPolicy<T.ReadOnlyType>
    ) throws -> Decision {
        switch policy.kind {
        case .fail, .mine: return .conflict(conflict(edits))
        case .theirs: return .unchanged
        case .resolve(let body):
            guard try body(edited, nil, read) == nil else {
                throw ObjectError(
                    .deletedObject,
                    "Nothing was changed because \(T.entityName) with \(key) was deleted, but the closure of the conflict policy returned "
                        + "a struct. Return nil to accept the deletion, and insert a new object if it is needed."
                )
            }
            return .unchanged
        }
    }

    func conflict(_ properties: [StoredProperty]) -> ObjectConflict {
        ObjectConflict(
            entityName: T.entityName,
            objectID: objectID,
            key: key,
            properties: Set(properties.map(\.name)),
            isDeleted: object == nil
        )
    }

    /// Decides about all edits, and then writes them.
    ///
    /// - Throws: ``ObjectError`` with code `conflict` that lists all conflicts. Nothing is written then.
    static func apply(
        _ edits: [StructEdit],
        in context: ObjectContext,
        _ policy: ConflictPolicy<T.ReadOnlyType>
    ) throws {
        let decisions = try edits.map { try $0.decision(in: context, policy) }
        let conflicts = decisions.compactMap { if case .conflict(let conflict) = $0 { conflict } else { nil } }
        if !conflicts.isEmpty { throw ObjectError.conflict(conflicts, path: context.path) }
        for (edit, decision) in zip(edits, decisions) {
            guard let object = edit.object else { continue }
            switch decision {
            case .unchanged, .conflict: break
            case .write(let value, let properties):
                context.changing(only: properties, of: object.objectState) { object.update(with: value) }
            case .writeAll(let value): object.update(with: value)
            }
        }
    }
}

extension ObjectError {
    static func conflict(_ conflicts: [ObjectConflict], path: String?) -> ObjectError {
        ObjectError(
            .conflict,
            "Nothing was changed because other writers changed the same properties of \(counted(conflicts.count, "object")) since they "
                + "were read. Read again and repeat the edits, or pass another conflict policy.",
            problems: conflicts.map(\.description),
            losses: [],
            conflicts: conflicts,
            path: path
        )
    }
}
#endif
