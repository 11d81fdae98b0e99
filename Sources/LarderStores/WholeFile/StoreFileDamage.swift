public import LarderCore

/// What opening a store does when its file is damaged.
public struct StoreFileDamagePolicy: Sendable, Hashable {
    private enum Choice { case refuse, quarantine }
    private let choice: Choice

    /// Leaves the file as it is, and throws `StoreError` with code `damaged` for whatever needs what can't be read: the
    /// default.
    public static let refuse = StoreFileDamagePolicy(choice: .refuse)
    /// Does what `repair(path:)` of the store does, reports a `LarderIssue` and opens.
    public static let quarantine = StoreFileDamagePolicy(choice: .quarantine)
}

/// What the repair of a store's file found and did.
public struct StoreFileRepair: Sendable, Hashable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// Where the damaged bytes are now; `nil` when there was no damage and nothing was done.
    public let copiedTo: String?
    /// How many entries the file holds now.
    public let recoveredEntries: Int
    /// What could not be read, with its key and offset where they are known.
    public let problems: [StoreVerification.Problem]

    /// One sentence.
    public var description: String {
        guard let copiedTo else { return "\(path) is not damaged; nothing was done." }
        return
            "\(path) was damaged: it was copied to \(copiedTo), and the \(recoveredEntries) entries that could be read were kept."
    }

    static func nothing(_ path: String, entries: Int = 0) -> StoreFileRepair {
        StoreFileRepair(path: path, copiedTo: nil, recoveredEntries: entries, problems: [])
    }
}
