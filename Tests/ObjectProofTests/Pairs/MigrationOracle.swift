#if Objects
import Foundation
import LarderObjects

/// Predicts the objects after a change of their model without using Larder's schema descriptions.
struct MigrationOracle {
    struct Loss: Hashable, CustomStringConvertible {
        let kind: String
        let entity: String
        let property: String?
        let count: Int
        let isAllowed: Bool
        var description: String {
            "\(kind) \(entity).\(property ?? "") \(count) \(isAllowed ? "allowed" : "refused")"
        }
    }

    let old: Sketch
    let new: Sketch
    private(set) var rows: SketchRows
    private let before: SketchRows
    private(set) var losses: Set<Loss> = []
    /// The differences that can't be allowed by a declaration.
    private(set) var refusals: [String] = []
    /// The reasons why the migration fails after it has begun.
    private(set) var lateRefusals: [String] = []

    /// Whether the migration is refused or fails, so that the file keeps its version.
    var isRefused: Bool { isRefusedAtOnce || !lateRefusals.isEmpty }
    var isRefusedAtOnce: Bool { !refusals.isEmpty || losses.contains { !$0.isAllowed } }

    init(_ old: Sketch, _ new: Sketch, _ rows: SketchRows) {
        (self.old, self.new, before) = (old, new, rows)
        self.rows = SketchRows(next: rows.next)
        for entity in new.entities {
            if let earlier = old.entity(entity.id) {
                convert(earlier, entity)
            } else {
                self.rows.values[entity.id] = [:]
            }
        }
        for entity in old.entities where new.entity(entity.id) == nil {
            note("entity", entity.name, nil, before.ids(entity.id).count, new.dropped.contains(entity.name))
        }
        for pair in new.pairs { move(pair) }
        for pair in old.pairs where new.pair(pair.id) == nil { dropLinks(pair) }
        guard !isRefusedAtOnce else { return }
        removeDuplicates()
        for entity in new.entities {
            for group in entity.uniqueGroups where !self.rows.duplicates(entity.id, group.map(\.id)).isEmpty {
                lateRefusals.append("\(entity.name) \(group.map(\.name)) is not unique")
            }
        }
    }

    private mutating func note(_ kind: String, _ entity: String, _ property: String?, _ count: Int, _ isAllowed: Bool) {
        losses.insert(Loss(kind: kind, entity: entity, property: property, count: count, isAllowed: isAllowed))
    }

    private mutating func convert(_ earlier: Sketch.Entity, _ entity: Sketch.Entity) {
        let objects = before.values[entity.id] ?? [:]
        rows.values[entity.id] = objects.mapValues { _ in [:] }
        for attribute in earlier.attributes where entity.attribute(attribute.id) == nil {
            let count = objects.values.count { $0[attribute.id] != nil }
            note("attribute", entity.name, attribute.name, count, entity.dropping.contains(attribute.name))
        }
        for attribute in entity.attributes {
            guard let former = earlier.attribute(attribute.id) else {
                if attribute.initial == nil, !attribute.isOptional {
                    refusals.append("\(attribute.name) has no default")
                }
                for id in objects.keys { rows.values[entity.id]?[id]?[attribute.id] = attribute.initial }
                continue
            }
            var counts: [String: Int] = [:]
            for (id, values) in objects {
                var result = values[attribute.id]
                if let value = result {
                    if former.format != attribute.format {
                        let outcome = ConversionOracle.convert(value, to: attribute.format)
                        result = outcome.value ?? attribute.replacement
                        if case .inexact = outcome { counts["inexactValue", default: 0] += 1 }
                        if outcome == .none { counts["value", default: 0] += 1 }
                    }
                } else if !attribute.isOptional {
                    counts["missingValue", default: 0] += 1
                    result = attribute.replacement
                }
                rows.values[entity.id]?[id]?[attribute.id] = result
            }
            for (kind, count) in counts {
                note(
                    kind,
                    entity.name,
                    attribute.name,
                    count,
                    kind == "inexactValue" ? attribute.isInexact : attribute.replacement != nil
                )
            }
        }
        for group in entity.uniqueGroups where isNew(group, earlier) {
            let duplicates = before.duplicates(entity.id, group.map(\.id)).reduce(0) { $0 + $1.count - 1 }
            guard duplicates > 0 else { continue }
            let property = group.map(\.name).joined(separator: ", ")
            note("duplicate", entity.name, property, duplicates, kept(group, entity) != nil)
        }
    }

    /// Returns whether a constraint on existing attributes is new, or any of its attributes is rewritten.
    private func isNew(_ group: [Sketch.Attribute], _ earlier: Sketch.Entity) -> Bool {
        guard group.allSatisfy({ earlier.attribute($0.id) != nil }) else { return false }
        let isConverted = group.contains { attribute in
            guard let former = earlier.attribute(attribute.id) else { return false }
            return former.format != attribute.format
                || former.isOptional && !attribute.isOptional && attribute.replacement != nil
        }
        return isConverted || !earlier.uniqueGroups.contains { $0.map(\.id) == group.map(\.id) }
    }

    private func kept(_ group: [Sketch.Attribute], _ entity: Sketch.Entity) -> KeptObject? {
        group.count == 1 ? group[0].keeping : entity.keeping
    }

    private func isDropping(_ name: String, _ entity: Int) -> Bool {
        new.entity(entity)?.dropping.contains(name) ?? false
    }

    private mutating func dropLinks(_ pair: Sketch.Pair) {
        let holder = pair.sides[pair.holder]
        let other = pair.sides[1 - pair.holder]
        guard let entity = new.entity(holder.entity), new.entity(other.entity) != nil else { return }
        let isAllowed = isDropping(holder.name, holder.entity) || isDropping(other.name, other.entity)
        note("relationship", entity.name, holder.name, before.links[pair.id]?.count ?? 0, isAllowed)
    }

    private mutating func move(_ pair: Sketch.Pair) {
        guard let former = old.pair(pair.id) else {
            for side in pair.sides where side.cardinality == .requiredOne && old.entity(side.entity) != nil {
                refusals.append("\(side.name) is new and required")
            }
            if pair.claim != nil {
                refusals.append("\(pair.sides[0].name) is one half of a relationship that goes on elsewhere")
            }
            rows.links[pair.id] = []
            return
        }
        if new.pairs.contains(where: { $0.claim?.pair == pair.id }) { return }
        var links = before.links[pair.id] ?? []
        for index in [pair.holder, 1 - pair.holder] {
            let (earlier, side) = (former.sides[index], pair.sides[index])
            let name = new.entity(side.entity)?.name ?? ""
            if earlier.isMany, !side.isMany {
                let all = before.links[pair.id] ?? []
                let count = all.count - Set(all.map { $0.ends[index] }).count
                if count > 0 { note("link", name, side.name, count, side.keeping != nil) }
                links = links.filter { link in
                    !links.contains { other in
                        other.ends[index] == link.ends[index]
                            && (side.keeping == .oldest
                                ? other.ends[1 - index] < link.ends[1 - index]
                                : other.ends[1 - index] > link.ends[1 - index])
                    }
                }
            }
            if earlier.isOrdered, !side.isOrdered {
                let count = disordered(before.links[pair.id] ?? [], index)
                let isAllowed =
                    isDropping(earlier.name + ".order", side.entity) || isDropping(side.name + ".order", side.entity)
                if count > 0 { note("order", name, side.name, count, isAllowed) }
            }
        }
        for (index, side) in pair.sides.enumerated() where side.cardinality == .requiredOne {
            let linked = Set(links.map { $0.ends[index] })
            let count = before.ids(side.entity).count { !linked.contains($0) }
            if count > 0 { note("missingValue", new.entity(side.entity)?.name ?? "", side.name, count, false) }
        }
        rows.links[pair.id] = links.map { link in
            var link = link
            for index in 0...1 where !former.sides[index].isOrdered || !pair.sides[index].isOrdered {
                link.positions[index] = nil
            }
            return link
        }
    }

    /// Returns the number of objects whose lists are not in insertion order.
    private func disordered(_ links: [SketchRows.Link], _ index: Int) -> Int {
        Dictionary(grouping: links) { $0.ends[index] }.values.count { links in
            let list = links.sorted { one, other in
                let (first, second) = (one.positions[index], other.positions[index])
                if (first == nil) != (second == nil) { return second == nil }
                return first == second ? one.ends[1 - index] < other.ends[1 - index] : (first ?? 0) < (second ?? 0)
            }
            let ids = list.map { $0.ends[1 - index] }
            return ids != ids.sorted()
        }
    }

    private mutating func removeDuplicates() {
        for entity in new.entities.sorted(by: { $0.name < $1.name }) {
            guard let earlier = old.entity(entity.id) else { continue }
            for group in entity.uniqueGroups where isNew(group, earlier) {
                guard let kept = kept(group, entity) else { continue }
                let doomed = rows.duplicates(entity.id, group.map(\.id)).flatMap { ids in
                    ids.filter { $0 != (kept == .newest ? ids.last : ids.first) }
                }
                remove(Set(doomed))
            }
        }
    }

    private mutating func remove(_ ids: Set<Int64>) { lateRefusals += rows.remove(ids, of: new) }
}

extension SketchRows {
    /// Deletes objects and applies their delete rules.
    ///
    /// - Returns: Why the objects can't be deleted; empty if they can.
    mutating func remove(_ ids: Set<Int64>, of sketch: Sketch) -> [String] {
        var refusals: [String] = []
        guard !ids.isEmpty else { return refusals }
        var doomed = ids
        var size = 0
        while size != doomed.count {
            size = doomed.count
            for pair in sketch.pairs {
                for index in 0...1 where pair.sides[index].deleteRule == .cascade {
                    for link in links[pair.id] ?? [] where doomed.contains(link.ends[index]) {
                        doomed.insert(link.ends[1 - index])
                    }
                }
            }
        }
        for pair in sketch.pairs {
            for link in links[pair.id] ?? [] {
                for index in 0...1 where doomed.contains(link.ends[index]) && !doomed.contains(link.ends[1 - index]) {
                    if pair.sides[index].deleteRule == .deny { refusals.append("\(pair.sides[index].name) denies") }
                    if pair.sides[1 - index].cardinality == .requiredOne {
                        refusals.append("\(pair.sides[1 - index].name) is required")
                    }
                }
            }
            links[pair.id]?.removeAll { doomed.contains($0.ends[0]) || doomed.contains($0.ends[1]) }
        }
        for entity in sketch.entities {
            for id in doomed { values[entity.id]?[id] = nil }
        }
        return refusals
    }
}
#endif
