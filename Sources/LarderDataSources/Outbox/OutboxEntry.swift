public import Foundation
public import LarderCore

/// One write that an outbox keeps until it is sent.
public struct OutboxEntry: Sendable, Hashable {
    /// What is to be done.
    public enum Verb: String, Sendable, Hashable {
        /// A single value is written.
        case put
        /// A list is written.
        case putAll
        /// What is there is deleted.
        case delete
    }

    /// Which write of the outbox it is, counted from 0.
    public let number: Int64
    /// What is to be done.
    public let verb: Verb
    /// To which keys.
    public let selection: StorageSelection
    /// The encoded values; none for a deletion.
    public let values: [Data]
    /// When it was asked for, by the wall clock.
    public let writtenAt: Date
    /// The outbox object that took it: while that lives, somebody may wait for the answer.
    let session: String

    /// What it means the same keys as.
    var query: any StorageQuery {
        switch selection {
        case .key(let key): StringKeyQuery(key)
        case .keys(let keys): IdsQuery(keys)
        case .all: AllObjectsQuery()
        }
    }

    /// Whether it writes or deletes something of what is meant.
    func touches(_ other: StorageSelection) -> Bool {
        switch (selection, other) {
        case (.all, _), (_, .all): true
        case (.key(let key), _): other.contains(key)
        case (.keys(let keys), _): keys.contains { other.contains($0) }
        }
    }

    /// Whether an earlier entry makes no difference once this one is sent: both are for the same one key.
    func supersedes(_ earlier: OutboxEntry) -> Bool {
        guard case .key(let key) = selection, case .key(let earlierKey) = earlier.selection else { return false }
        return key.utf8.elementsEqual(earlierKey.utf8)
    }
}

// `Documentation/Formats/outbox-v2.md` describes these.
extension OutboxEntry {
    var storedValue: StoredValue {
        let keys: StoredValue =
            switch selection {
            case .key(let key): .string(key)
            case .keys(let keys): .array(keys.map { .string($0) })
            case .all: .null
            }
        return .array([
            .string(verb.rawValue), keys, .array(values.map { .data($0) }), .date(writtenAt), .string(session),
        ])
    }

    /// `nil` for what no outbox of this version wrote.
    init?(_ stored: StoredValue, number: Int64) {
        guard case .array(let parts) = stored, parts.count == 5, case .string(let verbName) = parts[0],
            let verb = Verb(rawValue: verbName), case .array(let encoded) = parts[2], case .date(let date) = parts[3],
            case .string(let session) = parts[4]
        else { return nil }
        let selection: StorageSelection
        switch parts[1] {
        case .string(let key): selection = .key(key)
        case .null: selection = .all
        case .array(let keys):
            let texts = keys.compactMap { if case .string(let key) = $0 { key } else { nil } }
            guard texts.count == keys.count else { return nil }
            selection = .keys(texts)
        default: return nil
        }
        let values = encoded.compactMap { if case .data(let data) = $0 { data } else { nil } }
        guard values.count == encoded.count else { return nil }
        self.init(
            number: number,
            verb: verb,
            selection: selection,
            values: values,
            writtenAt: date,
            session: session
        )
    }
}
