#if Objects
import LarderObjects
import LarderTesting

extension Sketch {
    /// Adds the former names and the allowed losses to a changed model.
    ///
    /// - Parameters:
    ///   - old: The model before the change.
    ///   - random: The generator that determines which allowed losses are omitted and how former names are written.
    ///   - allowsAll: Whether no allowed loss is omitted.
    mutating func declare(changesFrom old: Sketch, _ random: inout SeededGenerator, allowsAll: Bool = false) {
        version = old.version + 1
        let isWithholding = Int.random(in: 0..<3, using: &random) == 0 && !allowsAll
        func consents() -> Bool { !isWithholding || Int.random(in: 0..<4, using: &random) > 0 }

        // A name that the file has for something else would continue that.
        let oldNames = Set(old.entities.map { $0.name.lowercased() })
        for index in entities.indices where old.entity(entities[index].id) == nil {
            let name = entities[index].name
            let isFree = old.entities.contains { $0.name == name && entity($0.id).map { $0.name != name } ?? false }
            if oldNames.contains(name.lowercased()), !isFree { entities[index].name = "E\(makeID())" }
        }
        dropped = old.entities.filter { entity($0.id) == nil }.map(\.name).filter { _ in consents() }
        entities = entities.map { entity in
            var entity = entity
            guard let earlier = old.entity(entity.id) else { return entity }
            entity.was = Self.history(earlier.was, earlier.name, entity.name, [], &random)
            let names = Set(earlier.attributes.map(\.name))
            for place in entity.attributes.indices {
                let attribute = entity.attributes[place]
                guard let former = earlier.attribute(attribute.id) else {
                    let isFree = earlier.attributes.contains { other in
                        other.name == attribute.name
                            && entity.attribute(other.id).map { $0.name != other.name } ?? false
                    }
                    if earlier.attributes.contains(where: { $0.name.lowercased() == attribute.name.lowercased() }),
                        !isFree
                    {
                        entity.attributes[place].name = "a\(makeID())"
                    }
                    continue
                }
                entity.attributes[place].was = Self.history(former.was, former.name, attribute.name, names, &random)
                if former.format != attribute.format || former.isOptional && !attribute.isOptional, consents() {
                    entity.attributes[place].replacement = Value.random(attribute.format, &random)
                }
                if former.format != attribute.format { entity.attributes[place].isInexact = consents() }
                if attribute.isUnique, consents() {
                    entity.attributes[place].keeping = Bool.random(using: &random) ? .newest : .oldest
                }
            }
            Self.makeHistoriesDistinct(&entity, earlier)
            entity.dropping = earlier.attributes.filter { entity.attribute($0.id) == nil }.map(\.name).filter { _ in
                consents()
            }
            if !entity.unique.isEmpty, consents() { entity.keeping = Bool.random(using: &random) ? .newest : .oldest }
            return entity
        }
        dropStaleClaims(old)
        for index in pairs.indices {
            guard let former = old.pair(pairs[index].id) else { continue }
            for side in 0...1 {
                let (earlier, current) = (former.sides[side], pairs[index].sides[side])
                if !current.isReplaced {
                    pairs[index].sides[side].was = Self.history(earlier.was, earlier.name, current.name, [], &random)
                }
                if earlier.isMany, !current.isMany, consents() {
                    pairs[index].sides[side].keeping = Bool.random(using: &random) ? .newest : .oldest
                }
                if earlier.isOrdered, !current.isOrdered, consents() { drop(current.name + ".order", current.entity) }
            }
        }
        for pair in old.pairs where self.pair(pair.id) == nil {
            let side = pair.sides[Int.random(in: 0...1, using: &random)]
            if consents() { drop(side.name, side.entity) }
        }
    }

    /// Removes what a model declared for the migration to it, so that the next version declares its own.
    mutating func forgetDeclarations() {
        dropped = []
        for index in entities.indices {
            (entities[index].dropping, entities[index].keeping) = ([], nil)
            for place in entities[index].attributes.indices {
                entities[index].attributes[place].replacement = nil
                entities[index].attributes[place].isInexact = false
                entities[index].attributes[place].keeping = nil
            }
        }
        for index in pairs.indices {
            pairs[index].claim = nil
            for side in 0...1 {
                pairs[index].sides[side].keeping = nil
                pairs[index].sides[side].isReplaced = false
            }
        }
    }

    /// Renames the sides of new relationships that reuse the name of a removed side in the file.
    private mutating func dropStaleClaims(_ old: Sketch) {
        for index in pairs.indices {
            guard let claim = pairs[index].claim else { continue }
            guard let former = old.pair(claim.pair) else {
                pairs[index].claim = nil
                continue
            }
            let isClaim = former.sides[claim.side].name == pairs[index].sides[0].name
            if isClaim, pair(claim.pair) != nil, pairs[index].sides[0].entity == former.sides[claim.side].entity {
                continue
            }
            pairs[index].claim = nil
            if isClaim { pairs[index].sides[0].name = "r\(makeID())" }
        }
    }

    private mutating func drop(_ name: String, _ entity: Int) {
        guard let index = entities.firstIndex(where: { $0.id == entity }) else { return }
        entities[index].dropping.append(name)
    }

    /// Returns the former names of a part, possibly shortened to a history that still ends with the name in the file.
    ///
    /// If a former name is also the name of another part in the file, a shortened history would be ambiguous.
    private static func history(
        _ was: [String],
        _ former: String,
        _ name: String,
        _ names: Set<String>,
        _ random: inout SeededGenerator
    ) -> [String] {
        let isWhole = Int.random(in: 0..<3, using: &random) > 0 || former != name && !names.isDisjoint(with: was)
        if former == name { return isWhole ? was : [] }
        return (isWhole ? was : []) + [former]
    }

    /// Restores the full histories of attributes whose shortened histories are equal.
    private static func makeHistoriesDistinct(_ entity: inout Entity, _ earlier: Entity) {
        let histories = entity.attributes.map(\.was).filter { !$0.isEmpty }
        guard Set(histories).count < histories.count else { return }
        for place in entity.attributes.indices {
            guard let former = earlier.attribute(entity.attributes[place].id) else { continue }
            let name = entity.attributes[place].name
            entity.attributes[place].was = former.was + (former.name == name ? [] : [former.name])
        }
    }
}
#endif
