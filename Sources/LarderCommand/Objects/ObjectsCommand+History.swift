#if Command && Objects
import LarderCore
import LarderObjects

extension ObjectsCommand {
    /// Prints when the database was created and the steps of its migrations.
    func history(_ database: ObjectDatabase, _ console: Console) throws {
        let isJSON = try isJSON()
        let entries = try database.history()
        guard !isJSON else {
            return try console.print(JSONWriter.list(entries.map(Self.json)))
        }
        for entry in entries {
            try console.print(
                "\(DateText.text(entry.date))  version \(entry.model.version)  \(entry.model.fingerprint)"
            )
            for action in entry.actions { try console.print("  " + action) }
            for loss in entry.losses {
                let place = loss.property.map { "\(loss.entity).\($0)" } ?? loss.entity
                try console.print("  lost: \(place), \(loss.count) (\(loss.kind.rawValue))")
            }
            if let backup = entry.backup { try console.print("  backup: \(backup.inOneLine)") }
        }
        if entries.isEmpty {
            try console.print(
                "The database has no history before its first migration, because an earlier version of Larder created it."
            )
        }
    }

    private static func json(_ entry: SchemaHistoryEntry) -> String {
        let losses = entry.losses.map { loss in
            JSONWriter.object([
                ("kind", JSONWriter.string(loss.kind.rawValue)), ("entity", JSONWriter.string(loss.entity)),
                ("property", JSONWriter.optional(loss.property)), ("count", String(loss.count)),
            ])
        }
        return JSONWriter.object([
            ("date", JSONWriter.string(DateText.text(entry.date))), ("version", String(entry.model.version)),
            ("fingerprint", JSONWriter.string(entry.model.fingerprint)),
            ("actions", JSONWriter.strings(entry.actions)), ("losses", JSONWriter.list(losses)),
            ("backup", JSONWriter.optional(entry.backup)),
        ])
    }
}
#endif
