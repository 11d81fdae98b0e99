#if Objects
internal import LarderCore

extension ObjectContext {
    /// Reports a stored value that can't be decoded, unless the maximum number of reports for its property is reached.
    func reportNotConvertible(_ state: ObjectState, column: Int, _ cause: (any Error)?) {
        guard let isLast = exclusively({ faults.noteValue(column, of: state.entity) }) else { return }
        let entity = state.entity
        // The issue is reported without holding the context's lock, because describing the cause may run client code.
        report(Self.notConvertible(state.objectID, entity.name, entity.columns[column].name, cause, isLast: isLast))
    }

    func notConvertible(_ state: ObjectState, column: Int, _ cause: (any Error)?) -> LarderIssue {
        Self.notConvertible(state.objectID, state.entity.name, state.entity.columns[column].name, cause)
    }

    static func notConvertible(
        _ id: ObjectID,
        _ entity: String,
        _ name: String,
        _ cause: (any Error)?,
        isLast: Bool = false
    ) -> LarderIssue {
        LarderIssue(
            .notConvertible,
            "The stored value of \(id).\(name) can't be decoded, so the property is read as its default. "
                + "Store another value, or restore the property's former type."
                + (isLast ? " No more values of this property are reported. Call verify() to list all of them." : ""),
            key: "\(entity).\(name)",
            underlying: cause
        )
    }

    /// Records that an accessor failed to read a relationship, so that the next read or save throws an error.
    ///
    /// If `isNews` is `true`, the failure is also reported as an issue.
    func faultFailed(_ state: ObjectState, _ relationship: ResolvedRelationship, _ error: any Error, isNews: Bool) {
        let text = "The relationship \(relationship.name) of \(state.objectID) could not be read"
        failure = ObjectError(
            .faultFailed,
            text
                + ", so results may be wrong and nothing was saved. Resolve the underlying error, then run the operation again.",
            path: path,
            underlying: error
        )
        guard isNews else { return }
        report(
            LarderIssue(
                .readFailed,
                text
                    + " and keeps its last known value, or is empty. Handle the error that the next read or save throws; "
                    + "the same failure is not reported for other objects.",
                key: "\(state.entity.name).\(relationship.name)",
                underlying: error
            )
        )
    }

    func refuseChange(_ state: ObjectState, _ reason: String, underlying: (any Error)? = nil) {
        report(
            LarderIssue(
                .writeFailed,
                "\(state.objectID) was not changed because \(reason).",
                key: state.objectID.description,
                underlying: underlying
            )
        )
    }

    /// Returns whether an object can be changed, and reports an issue if the object is deleted, read-only or outside its transaction.
    func mayChange(_ state: ObjectState) -> Bool {
        if isWritable, source != nil, state.status == .stored || state.status == .inserted { return true }
        switch exclusively({ state.status }) {
        case .stored, .inserted: break
        case .probe, .placeholder: return false
        case .deleted, .gone:
            refuseChange(state, "the object is deleted. Insert a new object instead")
            return false
        }
        if !isWritable {
            refuseChange(state, "the object belongs to the read-only view. Load it by its id inside performAndSave")
            return false
        }
        if source == nil {
            refuseChange(state, "the object's performAndSave call has ended. Load the object by its id in a new call")
            return false
        }
        return true
    }

    /// Returns whether a property of `state` can be changed, which also depends on ``changing(only:of:_:)``.
    func mayChange(_ state: ObjectState, _ property: PropertyReference) -> Bool {
        if let changeable, changeable.state === state, !changeable.properties.contains(property) { return false }
        return mayChange(state)
    }

    /// Runs `body` while setting other properties of `state` has no effect.
    func changing(only properties: Set<PropertyReference>, of state: ObjectState, _ body: () -> Void) {
        let before = changeable
        changeable = (state, properties)
        defer { changeable = before }
        body()
    }
}
#endif
