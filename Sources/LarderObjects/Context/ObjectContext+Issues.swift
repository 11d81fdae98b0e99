#if Objects
internal import LarderCore

extension ObjectContext {
    /// Reports a value that does not convert, unless as many of its property were reported as are.
    func reportNotConvertible(_ state: ObjectState, column: Int, _ cause: (any Error)?) {
        guard let isLast = exclusively({ faults.noteValue(column, of: state.entity) }) else { return }
        let entity = state.entity
        // Outside the gate: the cause may be the caller's, and is asked for what lies beneath it.
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
            "What is stored in \(name) of \(id) does not convert to the type of the property, which reads as its default: "
                + "store another value, or change the type back."
                + (isLast ? " Further values of this property are not reported: verify() lists them." : ""),
            key: "\(entity).\(name)",
            underlying: cause
        )
    }

    /// Keeps a failure of an accessor, which can't throw, for the next read or save, and reports it if it is news.
    func faultFailed(_ state: ObjectState, _ relationship: ResolvedRelationship, _ error: any Error, isNews: Bool) {
        let text = "The relationship \(relationship.name) of \(state.objectID) could not be read"
        failure = ObjectError(
            .faultFailed,
            text + ": what was done with it may be wrong, so nothing was saved.",
            path: path,
            underlying: error
        )
        guard isNews else { return }
        report(
            LarderIssue(
                .readFailed,
                text + ": it kept its last known value, or reads empty; the next read or save throws. "
                    + "The same failure for other objects is not reported again.",
                key: "\(state.entity.name).\(relationship.name)",
                underlying: error
            )
        )
    }

    func refuseChange(_ state: ObjectState, _ reason: String, underlying: (any Error)? = nil) {
        report(
            LarderIssue(
                .writeFailed,
                "\(state.objectID) was not changed: \(reason).",
                key: state.objectID.description,
                underlying: underlying
            )
        )
    }

    /// Whether the object can be changed; if not, that is reported.
    func mayChange(_ state: ObjectState) -> Bool {
        if isWritable, source != nil, state.status == .stored || state.status == .inserted { return true }
        switch exclusively({ state.status }) {
        case .stored, .inserted: break
        case .probe, .placeholder: return false
        case .deleted, .gone:
            refuseChange(state, "it was deleted")
            return false
        }
        if !isWritable {
            refuseChange(state, "it belongs to the view, which is for reading: load it by its id inside performAndSave")
            return false
        }
        if source == nil {
            refuseChange(state, "the performAndSave it belongs to has ended: load it by its id inside another")
            return false
        }
        return true
    }
}
#endif
