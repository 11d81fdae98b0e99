#if Objects
internal import Foundation

/// The relationships that each join table of a model stores, by which the history names the changed objects of a link.
struct LinkNames: Sendable {
    /// One side of a many-to-many relationship.
    struct Side: Sendable {
        let entity: String
        let property: String
    }

    private let sides: [String: (source: Side, target: Side)]

    init(_ model: ResolvedModel) {
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
                changes[id] = ObjectChange(kind: .updated, objectID: id, properties: properties)
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
