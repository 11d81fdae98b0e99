#if Command
import LarderCore
import LarderReplication

/// A commit of a cluster as a command prints it.
struct FollowedCommit: Sendable {
    private struct Write {
        let key: String
        /// The value, or `nil` if the key was removed.
        let value: StoredValue?
        let isReadable: Bool
        let expiry: ReplicationInstant?
    }

    private let change: ReplicationChange

    init(_ change: ReplicationChange) { self.change = change }

    private var writes: [Write] {
        change.writes.map { write in
            let value = write.value.flatMap { try? StoredValue(decoding: $0) }
            return Write(
                key: String(decoding: write.key, as: UTF8.self),
                value: value,
                // A newer version of Larder may have written a kind of value that this one can't decode.
                isReadable: value != nil || write.value == nil,
                expiry: write.expiry
            )
        }
    }

    var lines: [String] {
        let writes = writes
        return ["\(change.position.revision)  \(counted(writes.count, "write"))"] + writes.map { "  " + Self.text($0) }
    }

    var json: String {
        JSONWriter.object([
            ("position", String(change.position.revision)),
            (
                "writes",
                JSONWriter.list(
                    writes.map { write in
                        JSONWriter.object([
                            ("key", JSONWriter.string(write.key)),
                            ("value", write.value.map(JSONWriter.typed) ?? "null"),
                            ("isReadable", JSONWriter.bool(write.isReadable)),
                            ("expiry", JSONWriter.optional(write.expiry.map { DateText.text($0.date) })),
                        ])
                    }
                )
            ),
        ])
    }

    private static func text(_ write: Write) -> String {
        guard write.isReadable else { return "\(write.key.inOneLine)  a value that this version can't read" }
        guard let value = write.value else { return "\(write.key.inOneLine)  removed" }
        let expiry = write.expiry.map { "  until \(DateText.text($0.date))" } ?? ""
        return "\(write.key.inOneLine)  \(value.kind.rawValue) \(ValueText.text(value).inOneLine)\(expiry)"
    }
}
#endif
