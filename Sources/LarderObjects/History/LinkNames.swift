#if Objects
internal import Foundation

/// The relationships of a model, by which the history names the changed objects of a link and the objects of old references.
struct LinkNames: Sendable {
    /// One side of a many-to-many relationship.
    struct Side: Sendable {
        let entity: String
        let property: String
    }

    private let sides: [String: (source: Side, target: Side)]
    /// The entities to which to-one relationships refer, by the names of the owners and of the relationships.
    fileprivate let destinations: [String: [String: String]]

    init(_ model: ResolvedModel) {
        destinations = Dictionary(
            model.entities.map { entity in
                let references = entity.columns.compactMap { column in
                    column.destination.map { (column.name, model.entities[$0].name) }
                }
                return (entity.name, Dictionary(references) { first, _ in first })
            }
        ) { first, _ in first }
        var sides: [String: (source: Side, target: Side)] = [:]
        for relationship in model.entities.flatMap(\.relationships) {
            guard case .joinTable(let join, isSource: true) = relationship.storage else { continue }
            sides[join.name] = (
                Side(entity: model.entities[relationship.owner].name, property: relationship.name),
                Side(
                    entity: model.entities[relationship.destination].name,
                    property: model.inverse(of: relationship).name
                )
            )
        }
        self.sides = sides
    }

    /// Adds both objects of each changed link to the objects that have changed.
    fileprivate func add(_ links: SavedChanges.Links, to changes: inout [ObjectID: ObjectChange]) {
        guard let (source, target) = sides[links.joinTable] else { return }
        for pair in links.pairs {
            for (side, id) in [(source, pair.source), (target, pair.target)] {
                let id = ObjectID(entityName: side.entity, rowID: id)
                let known = changes[id]
                guard known?.kind ?? .updated == .updated else { continue }
                let properties = known.map { $0.properties?.union([side.property]) } ?? [side.property]
                changes[id] = ObjectChange(
                    kind: .updated,
                    objectID: id,
                    properties: properties,
                    oldValues: known?.oldValues ?? [:],
                    destinations: known?.destinations ?? [:]
                )
            }
        }
    }
}

extension HistoryEntry {
    init(_ row: SavedRow, timeline: Int64, _ names: LinkNames) {
        var changes: [ObjectID: ObjectChange] = [:]
        for group in row.changes.objects {
            for id in group.ids.joined() {
                let id = ObjectID(entityName: group.entity, rowID: id)
                changes[id] = ObjectChange(
                    kind: ObjectChange.Kind(group.kind),
                    objectID: id,
                    properties: group.properties.map(Set.init)
                )
            }
        }
        for group in row.changes.values {
            let destinations = names.destinations[group.entity, default: [:]].filter { group.columns.contains($0.key) }
            for row in group.rows {
                let id = ObjectID(entityName: group.entity, rowID: row.id)
                guard changes[id]?.kind == ObjectChange.Kind(group.kind) else { continue }
                changes[id]?.oldValues = Dictionary(zip(group.columns, row.values)) { first, _ in first }
                changes[id]?.destinations = destinations
            }
        }
        for links in row.changes.links { names.add(links, to: &changes) }
        self.init(
            token: HistoryToken(timeline: timeline, row: row.token),
            time: Date(timeIntervalSinceReferenceDate: row.time),
            author: row.author,
            isForeign: row.isForeign,
            scope: Scope(row.changes.scope),
            changes: changes.values.sorted { $0.objectID.rowID < $1.objectID.rowID }
        )
    }
}

extension HistoryEntry.Scope {
    fileprivate init(_ scope: SavedChanges.Scope) {
        switch scope {
        case .objects: self = .objects
        case .reset: self = .reset
        case .migration(let from, let to): self = .migration(from: from, to: to)
        case .anything: self = .anything
        }
    }
}

extension ObjectChange.Kind {
    fileprivate init(_ kind: SavedChanges.Kind) {
        switch kind {
        case .inserted: self = .inserted
        case .updated: self = .updated
        case .deleted: self = .deleted
        }
    }
}
#endif
