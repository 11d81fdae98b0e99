#if Objects
import LarderObjects
import LarderTesting

/// A change of a model, determined by its own seed so that it does not depend on other edits.
struct ModelEdit: Sendable {
    let seed: UInt64

    /// Changes a model.
    ///
    /// - Returns: A description of the change, or `nil` if the edit can't be applied to the model.
    func apply(to sketch: inout Sketch) -> String? {
        var random = SeededGenerator(seed: seed)
        let kind = Int.random(in: 0..<24, using: &random)
        switch kind {
        case 0..<12: return editEntity(kind, &sketch, &random)
        case 12..<18: return editModel(kind, &sketch, &random)
        default: return editPair(kind, &sketch, &random)
        }
    }

    private func editEntity(_ kind: Int, _ sketch: inout Sketch, _ random: inout SeededGenerator) -> String? {
        guard let index = sketch.entities.indices.randomElement(using: &random) else { return nil }
        let name = sketch.entities[index].name
        if kind == 0 {
            var added = sketch.makeAttribute(&random)
            if !added.isOptional ? Int.random(in: 0..<12, using: &random) > 0 : Bool.random(using: &random) {
                added.initial = Value.random(added.format, &random)
            }
            sketch.entities[index].attributes.append(added)
            return "add \(name).\(added.name) \(added.format) default \(added.initial.map(\.description) ?? "none")"
        }
        if kind == 1 {
            sketch.addGroup(index, &random)
            return "add a group to \(name)"
        }
        if kind == 2 {
            if Bool.random(using: &random) {
                sketch.entities[index].unique.shuffle(using: &random)
                _ = sketch.entities[index].unique.popLast()
            } else {
                _ = sketch.entities[index].indexes.popLast()
            }
            return "remove a group of \(name)"
        }
        guard let place = sketch.entities[index].attributes.indices.randomElement(using: &random) else { return nil }
        let attribute = sketch.entities[index].attributes[place]
        let label = "\(name).\(attribute.name)"
        switch kind {
        case 3:
            sketch.entities[index].attributes.remove(at: place)
            sketch.entities[index].unique.removeAll { $0.contains(attribute.id) }
            sketch.entities[index].indexes.removeAll { $0.contains(attribute.id) }
            return "drop \(label)"
        case 4:
            // A new attribute takes the free name, or the name stays free, or only its case changes.
            let old = attribute.name
            let isCase = Int.random(in: 0..<4, using: &random) == 0
            sketch.entities[index].attributes[place].name = isCase ? old.uppercased() : "a\(sketch.makeID())"
            guard !isCase, Bool.random(using: &random) else {
                return "rename \(label) to \(sketch.entities[index].attributes[place].name)"
            }
            var added = sketch.makeAttribute(&random)
            added.name = old
            added.isOptional = true
            sketch.entities[index].attributes.append(added)
            return "rename \(label) to \(sketch.entities[index].attributes[place].name), and add \(old) \(added.format)"
        case 5:
            guard let other = sketch.entities[index].attributes.indices.randomElement(using: &random), other != place
            else { return nil }
            let second = sketch.entities[index].attributes[other].name
            sketch.entities[index].attributes[place].name = second
            sketch.entities[index].attributes[other].name = attribute.name
            return "swap \(label) and \(second)"
        case 6, 7:
            let format = Format.allCases.randomElement(using: &random) ?? .string
            sketch.entities[index].attributes[place].format = format
            if format != .string { sketch.entities[index].attributes[place].isSearchable = false }
            if attribute.format != format { sketch.entities[index].attributes[place].initial = nil }
            return "retype \(label) from \(attribute.format) to \(format)"
        case 8:
            sketch.entities[index].attributes[place].isOptional.toggle()
            return "make \(label) \(attribute.isOptional ? "required" : "optional")"
        case 9:
            sketch.entities[index].attributes[place].isUnique.toggle()
            return "make \(label) \(attribute.isUnique ? "not unique" : "unique")"
        case 10:
            sketch.entities[index].attributes[place].isIndexed.toggle()
            return "make \(label) \(attribute.isIndexed ? "not indexed" : "indexed")"
        default:
            if attribute.format == .string { sketch.entities[index].attributes[place].isSearchable.toggle() }
            return "change whether \(label) is searchable"
        }
    }

    private func editModel(_ kind: Int, _ sketch: inout Sketch, _ random: inout SeededGenerator) -> String? {
        switch kind {
        case 12:
            guard sketch.entities.count < SketchModel.limit else { return nil }
            sketch.addEntity(&random)
            return "add \(sketch.entities.last?.name ?? "")"
        case 13:
            guard sketch.entities.count > 1, let index = sketch.entities.indices.randomElement(using: &random) else {
                return nil
            }
            let entity = sketch.entities.remove(at: index)
            sketch.pairs.removeAll { $0.sides.contains { $0.entity == entity.id } }
            return "drop \(entity.name)"
        case 14:
            guard let index = sketch.entities.indices.randomElement(using: &random) else { return nil }
            let old = sketch.entities[index].name
            sketch.entities[index].name =
                Int.random(in: 0..<4, using: &random) == 0 ? old.lowercased() : "E\(sketch.makeID())"
            return "rename \(old) to \(sketch.entities[index].name)"
        case 15:
            guard let one = sketch.entities.indices.randomElement(using: &random),
                let other = sketch.entities.indices.randomElement(using: &random), one != other
            else { return nil }
            let names = (sketch.entities[one].name, sketch.entities[other].name)
            (sketch.entities[other].name, sketch.entities[one].name) = names
            return "swap \(names.0) and \(names.1)"
        case 16:
            sketch.addPair(&random)
            let last = sketch.pairs.count - 1
            if last >= 0, Int.random(in: 0..<5, using: &random) == 0 {
                for side in 0...1 where !sketch.pairs[last].sides[side].isMany {
                    sketch.pairs[last].sides[side].cardinality = .requiredOne
                }
            }
            return "add a relationship"
        default:
            guard let index = sketch.pairs.indices.randomElement(using: &random) else { return nil }
            let pair = sketch.pairs.remove(at: index)
            return "drop \(pair.sides[0].name)"
        }
    }

    private func editPair(_ kind: Int, _ sketch: inout Sketch, _ random: inout SeededGenerator) -> String? {
        guard let index = sketch.pairs.indices.randomElement(using: &random) else { return nil }
        let side = Int.random(in: 0...1, using: &random)
        let name = sketch.pairs[index].sides[side].name
        switch kind {
        case 18:
            guard !sketch.pairs[index].sides[side].isReplaced else { return nil }
            sketch.pairs[index].sides[side].name = "r\(sketch.makeID())"
            return "rename \(name) to \(sketch.pairs[index].sides[side].name)"
        case 19, 20:
            let all: [Sketch.Cardinality] = [.optionalOne, .optionalOne, .requiredOne, .many, .many]
            let cardinality = all.randomElement(using: &random) ?? .many
            // At most one side is required, as in the models that the objects are made for.
            if cardinality == .requiredOne, sketch.pairs[index].sides[1 - side].cardinality == .requiredOne {
                return nil
            }
            sketch.pairs[index].sides[side].cardinality = cardinality
            if cardinality != .many { sketch.pairs[index].sides[side].isOrdered = false }
            return "make \(name) \(cardinality)"
        case 21:
            guard sketch.pairs[index].sides[side].isMany else { return nil }
            sketch.pairs[index].sides[side].isOrdered.toggle()
            return "change whether \(name) is ordered"
        case 22:
            sketch.pairs[index].naming = 1 - sketch.pairs[index].naming
            return "let the other side of \(name) name the inverse"
        default:
            // Another inverse: the side has a new name without a former name. The other side continues the relationship.
            guard !sketch.pairs[index].sides[1 - side].isReplaced else { return nil }
            sketch.pairs[index].sides[side].name = "s\(sketch.makeID())"
            sketch.pairs[index].sides[side].isReplaced = true
            let text = "replace the inverse \(name) by \(sketch.pairs[index].sides[side].name)"
            guard Int.random(in: 0..<3, using: &random) == 0 else { return text }
            // Another relationship takes the free name, and with it the other half of the relationship in the file.
            let pair = sketch.pairs[index]
            // The name that a new relationship took may be taken from it again.
            let claim = side == 0 ? pair.claim ?? (pair.id, side) : (pair.id, side)
            let id = sketch.makeID()
            let sides = [
                Sketch.Side(entity: pair.sides[side].entity, name: name, cardinality: .optionalOne),
                Sketch.Side(entity: pair.sides[1 - side].entity, name: "s\(id)", cardinality: .many),
            ]
            sketch.pairs.append(Sketch.Pair(id: id, sides: sides, naming: 1, claim: claim))
            return text + ", and add a relationship \(name)"
        }
    }
}
#endif
