import LarderCore

/// What an import or export came to, for people and programs.
struct TransferReport {
    let source: String
    let destination: String
    let transfer: StoreTransfer
    let isPreview: Bool

    /// Whether everything that was there is in the destination now.
    var isComplete: Bool { transfer.refused.isEmpty && transfer.unread.isEmpty }

    var json: String {
        JSONWriter.object([
            ("source", JSONWriter.string(source)), ("destination", JSONWriter.string(destination)),
            ("isPreview", JSONWriter.bool(isPreview)), ("carried", JSONWriter.strings(transfer.carried)),
            ("altered", JSONWriter.strings(transfer.altered)),
            ("unread", JSONWriter.strings(transfer.unread.map(\.key))),
            ("refused", JSONWriter.list(transfer.refused.map(JSONWriter.refusal))),
        ])
    }

    /// The lines for standard output.
    var lines: [String] {
        let count = transfer.carried.count
        let entries = count == 1 ? "1 entry" : "\(count) entries"
        let verb = isPreview ? "would be" : count == 1 ? "was" : "were"
        return ["\(entries) \(verb) copied from \(source) to \(destination)."]
            + transfer.altered.map { "key \($0.debugDescription): it is there in another form." }
    }

    /// The lines for standard error.
    var complaints: [String] {
        transfer.unread.map { "key \($0.key.debugDescription) was copied and can't be read back: \($0.reason)" }
            + transfer.refused.map(\.reason)
    }
}
