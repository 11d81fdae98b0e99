public import Foundation
public import LarderCore

/// A pending or rejected write in an outbox.
public struct OutboxEntry: Sendable, Hashable {
    /// The kind of a write.
    public enum Verb: String, Sendable, Hashable {
        /// A write of a single value.
        case put
        /// A write of a list of values.
        case putAll
        /// A deletion of values.
        case delete
    }

    /// The sequence number of the write in its outbox, starting at 0.
    public let number: Int64
    /// The kind of the write.
    public let verb: Verb
    /// The keys to which the write applies.
    public let selection: StoreSelection
    /// The encoded values to write.
    ///
    /// The array is empty for a deletion.
    public let values: [Data]
    /// The wall-clock date when the write was added to the outbox.
    public let writtenAt: Date
    /// The identifier of the outbox object that added the write.
    ///
    /// Only a caller of that outbox object can be waiting for the write.
    let session: String

    /// A query for the keys to which the write applies.
    var query: any StoreQuery {
        switch selection {
        case .key(let key): StringKeyQuery(key)
        case .keys(let keys): IdsQuery(keys)
        case .all: AllObjectsQuery()
        }
    }

    /// Returns whether the write affects any key in `other`.
    func touches(_ other: StoreSelection) -> Bool {
        switch (selection, other) {
        case (.all, _), (_, .all): true
        case (.key(let key), _): other.contains(key)
        case (.keys(let keys), _): keys.contains { other.contains($0) }
        }
    }

    /// Returns whether this write replaces `earlier` because both writes affect the same single key.
    func supersedes(_ earlier: OutboxEntry) -> Bool {
        guard case .key(let key) = selection, case .key(let earlierKey) = earlier.selection else { return false }
        return key.utf8.elementsEqual(earlierKey.utf8)
    }
}

// `Documentation/Formats/outbox-v2.md` specifies this encoding.
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

    /// Decodes an entry from its stored form.
    ///
    /// Returns `nil` if `stored` does not have the format that this version of Larder writes.
    init?(_ stored: StoredValue, number: Int64) {
        guard case .array(let parts) = stored, parts.count == 5, case .string(let verbName) = parts[0],
            let verb = Verb(rawValue: verbName), case .array(let encoded) = parts[2], case .date(let date) = parts[3],
            case .string(let session) = parts[4]
        else { return nil }
        let selection: StoreSelection
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
