#if Objects
import Foundation
import LarderObjects
import LarderTesting

/// A random custom stage, both as code for a migration and as a change of the tests' own rows.
struct ChainStage: Sendable {
    private enum Action: Sendable {
        /// Sets an attribute of every object to a text with the object's id, or to the id.
        case value(entity: Sketch.Entity, attribute: Sketch.Attribute)
        /// Inserts an object and sets the attributes that are texts or integers of 64 bits.
        case insertion(entity: Sketch.Entity)
        /// Sets or clears a to-one relationship.
        case link(pair: Sketch.Pair, side: Int, from: ObjectID, to: ObjectID?)
        case deletion(ObjectID)
    }

    private var actions: [Action] = []

    /// Generates a stage that leads to `sketch`, and applies its actions to the rows that inference makes.
    init(_ sketch: Sketch, _ rows: inout SketchRows, _ random: inout SeededGenerator) {
        addValue(sketch, &rows, &random)
        for _ in 0..<Int.random(in: 1...3, using: &random) { addInsertion(sketch, &rows, &random) }
        addLink(sketch, &rows, &random)
        addDeletion(sketch, &rows, &random)
    }

    private static func isPlain(_ attribute: Sketch.Attribute) -> Bool {
        attribute.format == .string || attribute.format == .int64
    }

    private static func value(_ attribute: Sketch.Attribute, _ id: Int64) -> Value {
        attribute.format == .string ? .text("é \(id)") : .integer(Int128(id) * 7)
    }

    private mutating func addValue(_ sketch: Sketch, _ rows: inout SketchRows, _ random: inout SeededGenerator) {
        let candidates = sketch.entities.flatMap { entity in
            let unique = Set(entity.uniqueGroups.joined().map(\.id))
            return entity.attributes.filter { Self.isPlain($0) && !unique.contains($0.id) }.map { (entity, $0) }
        }
        guard let (entity, attribute) = candidates.randomElement(using: &random) else { return }
        actions.append(.value(entity: entity, attribute: attribute))
        for id in rows.ids(entity.id) { rows.values[entity.id]?[id]?[attribute.id] = Self.value(attribute, id) }
    }

    private mutating func addInsertion(_ sketch: Sketch, _ rows: inout SketchRows, _ random: inout SeededGenerator) {
        let candidates = sketch.entities.filter { entity in
            entity.attributes.allSatisfy { Self.isPlain($0) || $0.isOptional || $0.initial != nil }
                // Equal defaults would break a constraint.
                && entity.uniqueGroups.allSatisfy { $0.contains(where: Self.isPlain) }
                && !sketch.pairs.contains { pair in
                    pair.sides.contains { $0.entity == entity.id && $0.cardinality == .requiredOne }
                }
        }
        guard let entity = candidates.randomElement(using: &random) else { return }
        let id = rows.next
        var values: [Int: Value] = [:]
        for attribute in entity.attributes {
            values[attribute.id] = Self.isPlain(attribute) ? Self.value(attribute, id) : attribute.initial
        }
        var changed = rows
        changed.values[entity.id, default: [:]][id] = values
        guard entity.uniqueGroups.allSatisfy({ changed.duplicates(entity.id, $0.map(\.id)).isEmpty }) else { return }
        changed.next += 1
        rows = changed
        actions.append(.insertion(entity: entity))
    }

    private mutating func addLink(_ sketch: Sketch, _ rows: inout SketchRows, _ random: inout SeededGenerator) {
        let candidates = sketch.pairs.flatMap { pair in
            (0...1).filter { side in
                // Positions of the other side's list, and a link that another object must keep, are left alone.
                pair.sides[side].cardinality == .optionalOne && pair.sides[1 - side].cardinality == .many
                    && !pair.sides[1 - side].isOrdered
            }
            .map { (pair, $0) }
        }
        guard let (pair, side) = candidates.randomElement(using: &random) else { return }
        let (entity, other) = (pair.sides[side].entity, pair.sides[1 - side].entity)
        guard let from = rows.ids(entity).randomElement(using: &random) else { return }
        let to = Bool.random(using: &random) ? rows.ids(other).randomElement(using: &random) : nil
        func id(_ entity: Int, _ row: Int64) -> ObjectID {
            ObjectID(entityName: sketch.entity(entity)?.name ?? "", rowID: row)
        }
        actions.append(.link(pair: pair, side: side, from: id(entity, from), to: to.map { id(other, $0) }))
        rows.links[pair.id]?.removeAll { $0.ends[side] == from }
        if let to {
            rows.links[pair.id, default: []].append(
                .init(ends: side == 0 ? [from, to] : [to, from], positions: [nil, nil])
            )
        }
    }

    private mutating func addDeletion(_ sketch: Sketch, _ rows: inout SketchRows, _ random: inout SeededGenerator) {
        guard let entity = sketch.entities.randomElement(using: &random), rows.ids(entity.id).count > 2,
            let id = rows.ids(entity.id).randomElement(using: &random)
        else { return }
        var changed = rows
        guard changed.remove([id], of: sketch).isEmpty else { return }
        rows = changed
        actions.append(.deletion(ObjectID(entityName: entity.name, rowID: id)))
    }

    /// Runs the stage in a migration.
    func run(_ migration: Migration) throws {
        for action in actions {
            switch action {
            case .value(let entity, let attribute):
                try migration.forEachNew(entity.name) { Self.set(attribute, of: $0) }
            case .insertion(let entity):
                try migration.insert(entity.name) { record in
                    for attribute in entity.attributes where Self.isPlain(attribute) { Self.set(attribute, of: record) }
                }
            case .link(let pair, let side, let from, let to):
                guard let record = try migration.new(from) else { throw Missing(id: from) }
                try record.set(pair.sides[side].name, to: to)
            case .deletion(let id): try migration.delete(id)
            }
        }
    }

    private struct Missing: Error { let id: ObjectID }

    private static func set(_ attribute: Sketch.Attribute, of record: NewRecord) {
        switch value(attribute, record.id.rowID) {
        case .text(let text): record[attribute.name] = text
        case .integer(let integer): record[attribute.name] = Int64(integer)
        default: break
        }
    }
}
#endif
