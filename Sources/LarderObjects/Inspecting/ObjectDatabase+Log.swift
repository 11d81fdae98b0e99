#if Objects
package import Foundation
internal import LarderFiles

extension ObjectDatabase {
    /// A save in the history of the file.
    package struct Save: Sendable {
        package let token: Int64
        package let time: Date
        package let author: String?
        /// Whether a program other than Larder made the changes.
        package let isForeign: Bool
        /// The event that may have changed any object, or `nil` if only the listed objects and links changed.
        package let event: String?
        package let changes: [Change]
        package let values: [Values]
    }

    /// Values that an object had before a save.
    package struct Values: Sendable {
        package let entity: String
        package let id: Int64
        /// The word "updated", or "deleted" for the values that a tombstone keeps.
        package let kind: String
        /// The names of the properties in ascending order, with the values as strings.
        package let values: [(property: String, value: String?)]
    }

    /// Objects of one entity, or links of one relationship, that a save changed in the same way.
    package struct Change: Sendable {
        /// The name of the entity, or of a many-to-many relationship such as `Post.tags`.
        package let name: String
        /// The word "inserted", "updated" or "deleted".
        package let kind: String
        /// Ranges of object ids in ascending order.
        package let ids: [ClosedRange<Int64>]
        /// The ids of the objects at both ends of each link.
        package let links: [(source: Int64, target: Int64)]
        /// The names of the changed properties in ascending order, or `nil` if the names are not known or the kind is not "updated".
        package let properties: [String]?
    }

    /// Returns the saves after a token, oldest first.
    ///
    /// - Parameters:
    ///   - token: The token after which to begin. `nil` begins with the oldest save that is kept.
    ///   - limit: The maximum number of saves to return, or `nil` for all.
    /// - Returns: The saves.
    /// - Throws: ``ObjectError`` with code `historyExpired` if saves after the token were removed or the token is newer than the newest
    ///   save, or with code `modelMismatch` if the file has no history.
    package func saves(after token: Int64?, limit: Int?) throws -> [Save] {
        try reading { statements in
            guard try SharingSchema.exists(statements) else {
                throw ObjectError(
                    .modelMismatch,
                    "The database has no history of saves, because an earlier version of Larder wrote it. Open it once with this version.",
                    path: path
                )
            }
            let reader = SaveReader(statements: statements)
            let trimmed = try reader.trimmed()
            if let token, token < trimmed {
                throw ObjectError(
                    .historyExpired,
                    "The saves up to \(trimmed) were removed from the history. Begin after \(trimmed) instead of \(token).",
                    path: path
                )
            }
            if let token, case let newest = try reader.newest(), token > newest {
                throw ObjectError(
                    .historyExpired,
                    "The newest save is \(newest), so there is no save \(token) after which to begin. Begin after \(newest) or an earlier "
                        + "save.",
                    path: path
                )
            }
            return try reader.rows(after: token ?? 0, limit: limit, hasValues: true).map { Save($0, entities) }
        }
    }

    /// Runs a closure on a background thread after any process may have saved, until the returned watch ends.
    package func watchingSaves(_ body: @escaping @Sendable () -> Void) throws -> SharedFileWatch {
        let files = LocalFileSystem()
        let place = try files.resolvingLinks(in: path)
        let watch = try SharedFileWatch(
            log: place + "-wal",
            files: files,
            isWriting: { WriterLock.isHeld(at: place, files) },
            read: body
        )
        // A commit may have written to the log before, and become visible after the caller's first read.
        watch.noteWrite()
        return watch
    }
}

extension ObjectDatabase.Save {
    init(_ row: SavedRow, _ entities: [ObjectDatabase.Entity]) {
        token = row.token
        time = Date(timeIntervalSinceReferenceDate: row.time)
        author = row.author
        isForeign = row.isForeign
        event =
            switch row.changes.scope {
            case .objects: nil
            case .reset: "reset"
            case .migration(let from, let to): "migration from version \(from) to \(to)"
            case .anything: "any object"
            }
        changes =
            row.changes.objects.map { group in
                .init(
                    name: group.entity,
                    kind: group.kind.rawValue,
                    ids: group.ids,
                    links: [],
                    properties: group.kind == .updated ? group.properties : nil
                )
            }
            + row.changes.links.map { group in
                .init(
                    name: group.joinTable,
                    kind: group.kind.rawValue,
                    ids: [],
                    links: group.pairs.map { ($0.source, $0.target) },
                    properties: nil
                )
            }
        values = row.changes.values.flatMap { group in
            let known = entities.first { $0.name == group.entity }?.columns ?? []
            let columns = group.columns.map { name in known.first { $0.name == name } }
            return group.rows.map { row in
                ObjectDatabase.Values(
                    entity: group.entity,
                    id: row.id,
                    kind: group.kind.rawValue,
                    values: zip(group.columns, zip(columns, row.values)).map { name, stored in
                        (name, ObjectDatabase.text(stored.1, stored.0))
                    }
                )
            }
        }
    }
}
#endif
