#if Objects
import LarderCore

extension ObjectContext {
    /// What there is to save of one entity.
    struct Kinds: OptionSet {
        let rawValue: UInt8
        static let inserted = Kinds(rawValue: 1)
        static let stored = Kinds(rawValue: 2)
        static let deleted = Kinds(rawValue: 4)
    }

    /// What a look at all that is listed finds.
    struct Findings {
        /// Everything that keeps the changes from being saved.
        var problems: [String] = []
        /// The first error of a value that does not encode.
        var cause: (any Error)?
        /// What there is of each entity, so that what there is none of is not looked for again.
        var kinds: [Kinds]
    }

    /// Looks whether the changes can be saved.
    func findings() throws -> Findings {
        var findings = Findings(kinds: Array(repeating: [], count: listed.count))
        for (place, states) in listed.enumerated() {
            var kinds: Kinds = []
            for state in states {
                switch state.status {
                case .inserted: kinds.insert(.inserted)
                case .stored: kinds.insert(.stored)
                case .deleted:
                    kinds.insert(.deleted)
                    continue
                case .gone, .placeholder, .probe: continue
                }
                if !state.isStorable { add(state, to: &findings) }
                let entity = state.entity
                guard state.status == .inserted, entity.hasRequiredInverses else { continue }
                for relationship in entity.relationships where relationship.cardinality == .requiredOne {
                    if case .inverseReference = relationship.storage, try list(of: state, relationship).isEmpty {
                        findings.problems.append(
                            "\(state.objectID): \(relationship.name) leads nowhere, and it is not optional."
                        )
                    }
                }
            }
            findings.kinds[place] = kinds
        }
        if findings.kinds.contains(where: { $0.contains(.deleted) }) { findings.problems += try denials() }
        return findings
    }

    /// Adds what is wrong with the columns of an object.
    private func add(_ state: ObjectState, to findings: inout Findings) {
        let entity = state.entity
        let unstorable = state.unstorable
        for (index, error) in unstorable.sorted(by: { $0.key < $1.key }) {
            let label = "\(state.objectID): \(entity.columns[index].name)"
            var cause: (any Error)?
            switch error {
            case let error as UnstorableValue:
                findings.problems.append("\(label) was given \(error.problem).")
                cause = error.cause
            case let error as UnreadValue:
                findings.problems.append("\(label) \(error.problem).")
                cause = error.cause
            default:
                findings.problems.append(
                    "\(label) has a default that can't be made (\(ErrorCause.text(error))): mend it."
                )
                cause = error
            }
            if findings.cause == nil { findings.cause = cause }
        }
        for index in entity.requiredColumns where state.lacks(index) && unstorable[index] == nil {
            findings.problems.append(
                "\(state.objectID): \(entity.columns[index].name) has no value, and it is not optional."
            )
        }
    }
}
#endif
