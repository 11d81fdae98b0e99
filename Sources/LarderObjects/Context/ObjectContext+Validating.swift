#if Objects
import LarderCore

extension ObjectContext {
    /// The types of unsaved changes to the objects of one entity.
    struct Kinds: OptionSet {
        let rawValue: UInt8
        static let inserted = Kinds(rawValue: 1)
        static let stored = Kinds(rawValue: 2)
        static let deleted = Kinds(rawValue: 4)
    }

    /// The result of validating all unsaved changes.
    struct Findings {
        /// A description of each problem that prevents a save.
        var problems: [String] = []
        /// The first error that occurred while encoding a value.
        var cause: (any Error)?
        /// The types of unsaved changes to each entity's objects, indexed by entity.
        var kinds: [Kinds]
    }

    /// Validates all unsaved changes in this context.
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
                            "The required relationship \(state.objectID).\(relationship.name) is not set. Assign an object to it."
                        )
                    }
                }
            }
            findings.kinds[place] = kinds
        }
        if findings.kinds.contains(where: { $0.contains(.deleted) }) { findings.problems += try denials() }
        return findings
    }

    /// Validates the columns of an object, and appends the problems to the findings.
    private func add(_ state: ObjectState, to findings: inout Findings) {
        let entity = state.entity
        let unstorable = state.unstorable
        for (index, error) in unstorable.sorted(by: { $0.key < $1.key }) {
            let label = "\(state.objectID).\(entity.columns[index].name)"
            var cause: (any Error)?
            switch error {
            case let error as UnstorableValue:
                findings.problems.append("\(label) has \(error.problem).")
                cause = error.cause
            case let error as UnreadValue:
                findings.problems.append("\(label) \(error.problem).")
                cause = error.cause
            default:
                findings.problems.append(
                    "The default value of \(label) could not be created (\(ErrorCause.text(error))). Fix the default value."
                )
                cause = error
            }
            if findings.cause == nil { findings.cause = cause }
        }
        for index in entity.requiredColumns where state.lacks(index) && unstorable[index] == nil {
            findings.problems.append(
                "The required property \(state.objectID).\(entity.columns[index].name) has no value. Set it before saving."
            )
        }
    }
}
#endif
