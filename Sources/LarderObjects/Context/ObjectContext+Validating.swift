#if Objects
extension ObjectContext {
    /// Everything that keeps the changes from being saved.
    func problems() throws -> [String] {
        var problems: [String] = []
        for states in listed {
            for state in states where state.status == .inserted || state.status == .stored {
                let entity = state.entity
                for index in state.hasUnstorable ? state.unstorable.sorted() : [] {
                    problems.append(
                        "\(state.objectID): \(entity.columns[index].name) was given a value that can't be stored, such as NaN, or one that does not encode."
                    )
                }
                for index in entity.requiredColumns where state.lacks(index) && !state.unstorable.contains(index) {
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
        return problems + (try denials())
    }
}
#endif
