#if Objects
extension ObjectContext {
    /// Everything that keeps the changes from being saved, and the first error of a value that does not encode.
    func problems() throws -> (problems: [String], cause: (any Error)?) {
        var problems: [String] = []
        var cause: (any Error)?
        for states in listed {
            for state in states where state.status == .inserted || state.status == .stored {
                let entity = state.entity
                let unstorable = state.unstorable
                for (index, error) in unstorable.sorted(by: { $0.key < $1.key }) {
                    let label = "\(state.objectID): \(entity.columns[index].name)"
                    switch error {
                    case let error as UnstorableValue:
                        problems.append("\(label) was given \(error.problem).")
                        cause = cause ?? error.cause
                    case let error as UnreadValue:
                        problems.append("\(label) \(error.problem).")
                        cause = cause ?? error.cause
                    default:
                        problems.append("\(label) has a default that can't be made (\(error)): mend it.")
                        cause = cause ?? error
                    }
                }
                for index in entity.requiredColumns where state.lacks(index) && unstorable[index] == nil {
                    problems.append(
                        "\(state.objectID): \(entity.columns[index].name) has no value, and it is not optional."
                    )
                }
                guard state.status == .inserted, entity.hasRequiredInverses else { continue }
                for relationship in entity.relationships where relationship.cardinality == .requiredOne {
                    if case .inverseReference = relationship.storage, try list(of: state, relationship).isEmpty {
                        problems.append(
                            "\(state.objectID): \(relationship.name) leads nowhere, and it is not optional."
                        )
                    }
                }
            }
        }
        return (problems + (try denials()), cause)
    }
}
#endif
