#if Objects
extension SavedChanges {
    /// Returns the changes of several parts that have no object in common.
    static func joining(_ parts: [SavedChanges]) -> SavedChanges {
        SavedChanges(
            scope: scope(of: parts),
            objects: parts.flatMap(\.objects),
            links: parts.flatMap(\.links),
            values: parts.flatMap(\.values)
        )
    }

    private static func scope(of parts: [SavedChanges]) -> Scope {
        parts.allSatisfy { $0.scope == .objects } ? .objects : .anything
    }

    /// Returns what several parts, from the first to the last, change together.
    ///
    /// An object that was deleted and inserted is an update of unknown columns. An object that was inserted and deleted is deleted: it may
    /// have existed before, because `REPLACE` of another program is recorded as an insertion.
    static func net(of parts: [SavedChanges]) -> SavedChanges {
        var result = SavedChanges(scope: scope(of: parts))
        var objects: [String: [Int64: NetChange]] = [:]
        var links: [String: [LinkPair: NetChange]] = [:]
        for part in parts {
            for group in part.objects {
                for id in group.ids.joined() {
                    objects[group.entity, default: [:]][id].add(group.kind, group.properties)
                }
            }
            for group in part.links {
                for pair in group.pairs { links[group.joinTable, default: [:]][pair].add(group.kind, nil) }
            }
        }
        for (entity, changes) in objects.sorted(by: { $0.key < $1.key }) {
            for kind in Kind.allCases {
                let changed = changes.filter { $0.value.kind == kind }
                let groups = Dictionary(grouping: changed.keys) { changes[$0]?.properties?.sorted() }
                for (properties, ids) in groups.sorted(by: { ($0.key ?? []).lexicographicallyPrecedes($1.key ?? []) }) {
                    result.objects.append(
                        Objects(entity: entity, kind: kind, properties: properties, ids: ranges(ids))
                    )
                }
            }
        }
        for (table, changes) in links.sorted(by: { $0.key < $1.key }) {
            for kind in Kind.allCases {
                let pairs = changes.filter { $0.value.kind == kind }.keys
                guard !pairs.isEmpty else { continue }
                let sorted = pairs.sorted { ($0.source, $0.target) < ($1.source, $1.target) }
                result.links.append(Links(joinTable: table, kind: kind, pairs: sorted))
            }
        }
        return result
    }
}

/// What several changes did to one object or link.
private struct NetChange {
    let existedBefore: Bool
    var exists: Bool
    /// The changed columns of an object that existed before, or `nil` if they are not known.
    var properties: Set<String>?

    var kind: SavedChanges.Kind {
        switch (existedBefore, exists) {
        case (_, false): .deleted
        case (false, true): .inserted
        case (true, true): .updated
        }
    }
}

extension NetChange? {
    fileprivate mutating func add(_ kind: SavedChanges.Kind, _ properties: [String]?) {
        guard var change = self else {
            let known = kind == .updated ? properties.map(Set.init) : nil
            self = NetChange(existedBefore: kind != .inserted, exists: kind != .deleted, properties: known)
            return
        }
        change.exists = kind != .deleted
        change.properties = properties.flatMap { change.properties?.union($0) }
        self = change
    }
}
#endif
