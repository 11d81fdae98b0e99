#if Objects
import GRDB
import LarderObjects
import LarderTesting

extension Sketch {
    /// Generates a random model and valid objects of it.
    static func make(_ random: inout SeededGenerator) -> (model: Sketch, rows: SketchRows) {
        var sketch = Sketch()
        for _ in 0..<Int.random(in: 1...5, using: &random) { sketch.addEntity(&random) }
        for _ in 0..<Int.random(in: 0...5, using: &random) { sketch.addPair(&random) }
        for index in sketch.entities.indices {
            sketch.addHistories(index, &random)
        }
        var rows = SketchRows()
        for entity in sketch.entities {
            rows.values[entity.id] = [:]
            for _ in 0..<Int.random(in: 0...7, using: &random) {
                rows.next += Int64.random(in: 1...3, using: &random)
                var values: [Int: Value] = [:]
                for attribute in entity.attributes
                where !attribute.isOptional || Int.random(in: 0..<4, using: &random) > 0 {
                    values[attribute.id] = Value.random(attribute.format, &random)
                }
                rows.values[entity.id]?[rows.next] = values
            }
        }
        rows.next += 1
        // A constraint that the objects break is no part of the model.
        for index in sketch.entities.indices {
            let entity = sketch.entities[index]
            func isBroken(_ group: [Int]) -> Bool { !rows.duplicates(entity.id, group).isEmpty }
            sketch.entities[index].unique = entity.unique.filter { !isBroken($0) }
            for place in entity.attributes.indices where isBroken([entity.attributes[place].id]) {
                sketch.entities[index].attributes[place].isUnique = false
            }
        }
        for index in sketch.pairs.indices { sketch.link(index, &rows, &random) }
        return (sketch, rows)
    }

    mutating func addEntity(_ random: inout SeededGenerator) {
        let id = makeID()
        var entity = Entity(id: id, name: "E\(id)")
        for _ in 0..<Int.random(in: 0...8, using: &random) { entity.attributes.append(makeAttribute(&random)) }
        entities.append(entity)
        for _ in 0..<Int.random(in: 0...2, using: &random) { addGroup(entities.count - 1, &random) }
    }

    mutating func makeAttribute(_ random: inout SeededGenerator) -> Attribute {
        let id = makeID()
        let format = Format.allCases.randomElement(using: &random) ?? .int64
        var attribute = Attribute(id: id, name: "a\(id)", format: format, isOptional: Bool.random(using: &random))
        attribute.isUnique = Int.random(in: 0..<5, using: &random) == 0
        attribute.isIndexed = Int.random(in: 0..<5, using: &random) == 0
        attribute.isSearchable = format == .string && Int.random(in: 0..<3, using: &random) == 0
        return attribute
    }

    mutating func addGroup(_ index: Int, _ random: inout SeededGenerator) {
        let group = Array(entities[index].attributes.map(\.id).shuffled(using: &random).prefix(2))
        guard group.count == 2 else { return }
        if Bool.random(using: &random) {
            if !entities[index].unique.contains(group) { entities[index].unique.append(group) }
        } else if !entities[index].indexes.contains(group) {
            entities[index].indexes.append(group)
        }
    }

    mutating func addPair(_ random: inout SeededGenerator) {
        guard let one = entities.randomElement(using: &random), let other = entities.randomElement(using: &random)
        else { return }
        let id = makeID()
        let rules: [DeleteRule] = [.nullify, .nullify, .cascade, .deny]
        func side(_ entity: Entity, _ name: String, _ random: inout SeededGenerator) -> Side {
            let cardinality: Cardinality = Bool.random(using: &random) ? .many : .optionalOne
            return Side(
                entity: entity.id,
                name: name,
                cardinality: cardinality,
                isOrdered: cardinality == .many && Bool.random(using: &random),
                deleteRule: rules.randomElement(using: &random) ?? .nullify
            )
        }
        let sides = [side(one, "r\(id)", &random), side(other, "s\(id)", &random)]
        pairs.append(Pair(id: id, sides: sides, naming: Int.random(in: 0...1, using: &random)))
    }

    /// Adds former names to some attributes of an entity, including attributes with swapped names.
    private mutating func addHistories(_ index: Int, _ random: inout SeededGenerator) {
        if Int.random(in: 0..<5, using: &random) == 0 { entities[index].was = ["Old\(makeID())"] }
        var places = Array(entities[index].attributes.indices.shuffled(using: &random))
        if places.count > 1, Int.random(in: 0..<4, using: &random) == 0 {
            let (one, other) = (places.removeLast(), places.removeLast())
            entities[index].attributes[one].was = [entities[index].attributes[other].name]
            entities[index].attributes[other].was = [entities[index].attributes[one].name]
        }
        for place in places where Int.random(in: 0..<5, using: &random) == 0 {
            entities[index].attributes[place].was = ["old\(makeID())"]
        }
    }

    /// Links random objects, and may make a to-one side required if every object has a link.
    private mutating func link(_ index: Int, _ rows: inout SketchRows, _ random: inout SeededGenerator) {
        let pair = pairs[index]
        var links: [SketchRows.Link] = []
        for first in rows.ids(pair.sides[0].entity).shuffled(using: &random) {
            for second in rows.ids(pair.sides[1].entity).shuffled(using: &random)
            where Int.random(in: 0..<3, using: &random) > 0 {
                if !pair.sides[0].isMany, links.contains(where: { $0.ends[0] == first }) { continue }
                if !pair.sides[1].isMany, links.contains(where: { $0.ends[1] == second }) { continue }
                func position(_ side: Int) -> Int64? {
                    pair.sides[side].isOrdered && Int.random(in: 0..<5, using: &random) > 0
                        ? Int64.random(in: -20...20, using: &random) : nil
                }
                links.append(.init(ends: [first, second], positions: [position(0), position(1)]))
            }
        }
        rows.links[pair.id] = links
        for side in 0...1 where pair.sides[side].cardinality == .optionalOne {
            let linked = Set(links.map { $0.ends[side] })
            if rows.ids(pair.sides[side].entity).allSatisfy(linked.contains), Int.random(in: 0..<2, using: &random) == 0
            {
                pairs[index].sides[side].cardinality = .requiredOne
                return
            }
        }
    }
}

extension Value {
    static func random(_ format: Format, _ random: inout SeededGenerator) -> Value? {
        if let range = format.range, Int.random(in: 0..<3, using: &random) == 0 {
            return .integer(Int128.random(in: range, using: &random))
        }
        return samples(of: format).randomElement(using: &random)
    }
}

extension SketchRows {
    /// Returns groups of objects whose values are equal for all given attributes, in ascending order of ids.
    func duplicates(_ entity: Int, _ group: [Int]) -> [[Int64]] {
        var groups: [[DatabaseValue]: [Int64]] = [:]
        for id in ids(entity) {
            let shared = group.compactMap { values[entity]?[id]?[$0] }
            guard shared.count == group.count else { continue }
            groups[shared.map(\.stored), default: []].append(id)
        }
        return groups.values.filter { $0.count > 1 }
    }
}
#endif
