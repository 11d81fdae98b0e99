#if Inspector
import LarderCore

/// The changes of an instance in a tenth of a second.
struct ChangesEvent: Sendable {
    /// A change of a record, with values that need little memory.
    struct Change: Sendable {
        /// A value that is small, or the JSON of the beginning of a large one.
        enum Value: Sendable {
            case small(StoredValue)
            case cut(JSONText)

            init(_ value: StoredValue, isSecret: Bool) {
                var room = 4_096
                if value.isSmall(&room) {
                    self = .small(value)
                } else {
                    var json = JSONText()
                    json.value(value, .cell, isSecret: isSecret)
                    self = .cut(json)
                }
            }
        }

        let table: String
        let key: String
        let isSecret: Bool
        private(set) var kind: InspectionChange.Kind
        private(set) var old: Value?
        private(set) var new: Value?
        private(set) var columns: [String]

        /// Creates a change.
        ///
        /// - Parameters:
        ///   - change: The change of the instance.
        ///   - keyPrefix: What precedes the key in the store behind a view.
        init(_ change: InspectionChange, keyPrefix: String) {
            let isSecret = SecretName.isSecret(keyPrefix + change.key)
            self.isSecret = isSecret
            table = change.table
            key = change.key
            kind = change.kind
            columns = change.columns
            old = change.old.map { Value($0, isSecret: isSecret) }
            new = change.new.map { Value($0, isSecret: isSecret) }
        }

        /// Adds a later change of the same record.
        mutating func merge(_ later: InspectionChange) {
            switch (kind, later.kind) {
            case (.removed, .inserted), (.removed, .updated): kind = .updated
            case (.inserted, .updated): break
            default: kind = later.kind
            }
            new = later.new.map { Value($0, isSecret: isSecret) }
            for column in later.columns where !columns.contains(column) && columns.count < 100 {
                columns.append(column)
            }
        }
    }

    var instance: String
    var origin: String
    var date: String
    var changes: [Change] = []
    /// The number of changes that are not listed.
    var omitted = 0
    /// Whether changes were made that can't be listed.
    var isMissed = false
}

extension StoredValue {
    /// Returns whether the value needs at most `room` bytes, and subtracts them.
    fileprivate func isSmall(_ room: inout Int) -> Bool {
        room -= 16
        switch self {
        case .string(let text), .url(let text): room -= text.utf8.count
        case .data(let data): room -= data.count
        case .array(let elements): for element in elements where !element.isSmall(&room) { return false }
        case .dictionary(let entries):
            for entry in entries {
                room -= entry.key.utf8.count
                guard entry.value.isSmall(&room) else { return false }
            }
        case .bool, .int, .unsigned, .float, .double, .date, .null: break
        }
        return room >= 0
    }
}

extension JSONText {
    mutating func changes(_ event: ChangesEvent) {
        object { json in
            json.member("instance", event.instance)
            json.member("origin", event.origin)
            json.member("date", event.date)
            json.name("changes")
            json.array(event.changes) { json, change in
                json.object { json in
                    json.member("table", change.table)
                    json.member("key", change.key)
                    json.member("kind", change.kind.rawValue)
                    json.name("old")
                    json.value(change.old, isSecret: change.isSecret)
                    json.name("new")
                    json.value(change.new, isSecret: change.isSecret)
                    json.member("columns", change.columns)
                }
            }
            json.member("omitted", event.omitted)
            json.member("isMissed", event.isMissed)
        }
    }

    private mutating func value(_ value: ChangesEvent.Change.Value?, isSecret: Bool) {
        switch value {
        case nil: null()
        case .small(let value): self.value(value, .cell, isSecret: isSecret)
        case .cut(let json): raw(json)
        }
    }
}
#endif
