import LarderCore

/// The report of an import or export.
struct TransferReport {
    let source: String
    let destination: String
    let transfer: StoreTransfer
    let isPreview: Bool

    /// Whether every entry of the source can be copied to the destination and read back.
    var isComplete: Bool { transfer.refused.isEmpty && transfer.unreadable.isEmpty }

    var json: String {
        JSONWriter.object([
            ("source", JSONWriter.string(source)), ("destination", JSONWriter.string(destination)),
            ("isPreview", JSONWriter.bool(isPreview)), ("copied", JSONWriter.strings(transfer.copied)),
            ("altered", JSONWriter.strings(transfer.altered)),
            ("unreadable", JSONWriter.strings(transfer.unreadable.map(\.key))),
            ("refused", JSONWriter.list(transfer.refused.map(JSONWriter.refusal))),
        ])
    }

    /// The lines to print to standard output.
    var lines: [String] {
        let count = transfer.copied.count
        let entries = counted(count, "entry", "entries")
        let verb = isPreview ? "would be" : count == 1 ? "was" : "were"
        return ["\(entries) \(verb) copied from \(source.debugDescription) to \(destination.debugDescription)."]
            + transfer.altered.map {
                "The destination stores the value under key \($0.debugDescription) in another form."
            }
    }

    /// The lines to print to standard error.
    var complaints: [String] {
        transfer.unreadable.map { "The copied value under key \($0.key.debugDescription) can't be read: \($0.reason)" }
            + transfer.refused.map(\.reason)
    }
}
