public import LarderCore

/// A policy for opening a store whose file is corrupt.
public struct StoreFileDamagePolicy: Sendable, Hashable {
    private enum Choice { case refuse, quarantine }
    private let choice: Choice

    /// A policy that leaves the file unchanged and throws a `StoreError` with code `damaged` when unreadable data is needed.
    ///
    /// This is the default policy.
    public static let refuse = StoreFileDamagePolicy(choice: .refuse)
    /// A policy that repairs the file in the same way as the store's `repair(path:)`, reports a `LarderIssue`, and opens the store.
    public static let quarantine = StoreFileDamagePolicy(choice: .quarantine)
}

/// The result of repairing a store's file.
public struct StoreFileRepair: Sendable, Hashable, CustomStringConvertible {
    /// The path of the repaired file.
    public let path: String
    /// The path of the backup copy of the corrupt file, or `nil` if the file was missing or intact and was not changed.
    public let copiedTo: String?
    /// The number of entries in the file after the repair.
    public let recoveredEntries: Int
    /// The problems that were found in the file, each with its key and offset if known.
    public let problems: [StoreVerification.Problem]

    /// A summary of the repair in one or two sentences.
    public var description: String {
        guard let copiedTo else { return "\(path.debugDescription) is not corrupt, so nothing was changed." }
        let entries = counted(recoveredEntries, "readable entry was", "readable entries were")
        return
            "\(path.debugDescription) was corrupt. It was copied to \(copiedTo.debugDescription), and \(entries) kept."
    }

    static func nothing(_ path: String, entries: Int = 0) -> StoreFileRepair {
        StoreFileRepair(path: path, copiedTo: nil, recoveredEntries: entries, problems: [])
    }
}
