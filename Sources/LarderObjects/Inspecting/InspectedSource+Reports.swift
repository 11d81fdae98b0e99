#if Objects
internal import Foundation
internal import LarderCore

extension InspectedSource {
    /// The number of saves in a report.
    private static var reportedSaves: Int64 { 50 }

    /// Returns the versions of the model that the file had, newest first.
    func versions() throws -> InspectionReport {
        try readingSchema { statements, stored, _ in
            let entries = try stored.format >= 2 ? SchemaHistory.entries(statements, path: path) : []
            return InspectionReport(
                "Versions and migrations",
                note: entries.isEmpty
                    ? "The file has no record of its versions, because an earlier version of Larder wrote it." : nil,
                columns: [
                    .init("version", type: "Int"), .init("date", type: "Date"), .init("fingerprint", type: "String"),
                    .init("actions", type: "String"), .init("losses", type: "String"), .init("backup", type: "String?"),
                ],
                rows: entries.reversed().map { entry in
                    [
                        .int(Int64(entry.model.version)), .date(entry.date), .string(entry.model.fingerprint),
                        .string(entry.actions.joined(separator: "; ")),
                        .string(entry.losses.map(Self.text).joined(separator: "; ")),
                        entry.backup.map { .string($0) } ?? .null,
                    ]
                }
            )
        }
    }

    private static func text(_ loss: SchemaHistoryEntry.Loss) -> String {
        "\(loss.entity)\(loss.property.map { "." + $0 } ?? ""): \(counted(loss.count, loss.kind.rawValue))"
    }

    /// Returns the last saves of all processes, newest first.
    func lastSaves() throws -> InspectionReport {
        let columns: [InspectionColumn] = [
            .init("save", type: "Int"), .init("date", type: "Date"), .init("author", type: "String"),
            .init("changes", type: "String"),
        ]
        return try reading { statements in
            guard try SharingSchema.exists(statements) else {
                return InspectionReport(
                    "Last saves",
                    note:
                        "The file has no history, because an earlier version of Larder wrote it. Open it for writing to upgrade it.",
                    columns: columns,
                    rows: []
                )
            }
            let reader = SaveReader(statements: statements)
            let saves = try reader.rows(after: max(try reader.trimmed(), try reader.newest() - Self.reportedSaves))
            return InspectionReport(
                "Last saves",
                columns: columns,
                rows: saves.reversed().map { save in
                    [
                        .int(save.token), .date(Date(timeIntervalSinceReferenceDate: save.time)),
                        .string(save.author ?? (save.isForeign ? "another program" : "unknown")),
                        .string(save.changes.summary),
                    ]
                }
            )
        }
    }
}

extension SavedChanges {
    /// A short description, such as "3 inserted Order, 1 updated Customer".
    fileprivate var summary: String {
        switch scope {
        case .reset: return "all objects deleted"
        case .migration(let from, let to): return "migration from version \(from) to \(to)"
        case .anything: return "any object"
        case .objects: break
        }
        var counts: [(name: String, count: Int)] = []
        for group in objects.map({ ("\($0.kind.rawValue) \($0.entity)", $0.count) })
            + links.map({ ("\($0.kind.rawValue) links of \($0.joinTable)", $0.pairs.count) })
        {
            if let place = counts.firstIndex(where: { $0.name == group.0 }) {
                counts[place].count += group.1
            } else {
                counts.append((group.0, group.1))
            }
        }
        return counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    }
}
#endif
