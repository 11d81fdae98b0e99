#if Objects
extension ObjectContext {
    /// Everything that keeps the changes from being saved.
    func problems() throws -> [String] {
        var problems: [String] = []
        for states in listed {
            for state in states where state.status == .inserted || state.status == .stored {
                for (index, column) in state.entity.columns.enumerated() {
                    if state.unstorable.contains(index) {
                        problems.append(
                            "\(state.objectID): \(column.name) was given a value that can't be stored, such as NaN, or one that does not encode."
                        )
                    } else if column.isRequired, isMissing(state, index) {
                        problems.append("\(state.objectID): \(column.name) has no value, and it is not optional.")
                    }
                }
                for relationship in state.entity.relationships
                where relationship.cardinality == .requiredOne && state.status == .inserted {
                    if case .inverseReference = relationship.storage, try list(of: state, relationship).isEmpty {
                        problems.append(
                            "\(state.objectID): \(relationship.name) leads nowhere, and it is not optional."
                        )
                    }
                }
            }
        }
        return problems + (try denials())
    }

    /// Whether a column would be saved without a value.
    ///
    /// What an older program left empty is only looked at when it changes.
    private func isMissing(_ state: ObjectState, _ index: Int) -> Bool {
        if state.status == .stored, state.changes.isEmpty || state.changes[index] == nil { return false }
        return state.column(index).isNull
    }
}
#endif
