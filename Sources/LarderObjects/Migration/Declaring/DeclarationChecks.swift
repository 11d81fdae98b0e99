#if Objects
internal import LarderCore

extension ObjectModel {
    /// Returns a description of each invalid migration declaration in the model.
    func declarationProblems() -> [String] {
        var problems: [String] = []
        for name in dropped {
            // An entity that was renamed to this name is not the dropped entity.
            guard let present = descriptions.first(where: { $0.name == name }), present.formerNames.isEmpty else {
                continue
            }
            problems.append(
                "The entity \(name) is both in the model and in \"dropped\". Remove it from the model or from \"dropped\"."
            )
        }
        problems += formerNameProblems(descriptions.map { ("Entity \($0.name)", $0.name, $0.formerNames) })
        for description in descriptions { problems += declarationProblems(description) }
        return problems + (plan?.problems(version: version) ?? [])
    }

    private func declarationProblems(_ description: EntityDescription) -> [String] {
        let entity = description.name
        var problems = formerNameProblems(
            description.attributes.map { ("\(entity).\($0.name)", $0.name, $0.formerNames) }
                + description.relationships.map { ("\(entity).\($0.name)", $0.name, $0.formerNames) }
        )
        for name in description.dropping {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            let attribute = description.attributes.first { $0.name == name }
            let relationship = description.relationships.first { $0.name == parts.first }
            let isKept =
                switch parts.count {
                // The relationship remains but loses its order, so the model must declare it unordered.
                case 2: relationship.map { $0.isOrdered || parts[1] != "order" } ?? false
                // A property that was renamed to this name is not the dropped property.
                default:
                    (attribute.map { $0.formerNames.isEmpty } ?? false)
                        || (relationship.map { $0.formerNames.isEmpty } ?? false)
                }
            if isKept {
                problems.append(
                    "\(entity).\(name) is both in the model and in \"dropping\". Remove it from the model or from \"dropping\"."
                )
            }
        }
        if description.keeping != nil, description.uniqueConstraints.isEmpty {
            problems.append(
                "\(entity) declares \"keeping\" without \"unique\". Remove \"keeping\", or add \"unique\"."
            )
        }
        for relationship in description.relationships where relationship.keeping != nil && relationship.isToMany {
            problems.append("\(entity).\(relationship.name) declares \"keeping\" but is to-many. Remove \"keeping\".")
        }
        for attribute in description.attributes {
            guard let makeReplacement = attribute.makeReplacement else { continue }
            do { _ = try makeReplacement() } catch {
                let problem = (error as? UnstorableValue)?.problem ?? ErrorCause.text(error)
                problems.append("The migration default of \(entity).\(attribute.name) is \(problem).")
            }
        }
        return problems
    }

    private func formerNameProblems(_ properties: [(label: String, name: String, former: [String])]) -> [String] {
        var problems: [String] = []
        var known: [[String]: String] = [:]
        for (label, name, former) in properties where !former.isEmpty {
            if former.last == name {
                problems.append("\(label) declares its own name as a former name. Remove \"was\".")
            } else if former.contains("") {
                problems.append("\(label) declares an empty former name. Remove it.")
            } else if let other = known.updateValue(label, forKey: former) {
                let names = former.map { "\"\($0)\"" }.joined(separator: ", ")
                let noun = former.count == 1 ? "former name" : "former names"
                problems.append(
                    "\(label) and \(other) have the same \(noun), \(names). Remove \"was\" from one of them."
                )
            }
        }
        return problems
    }
}
#endif
