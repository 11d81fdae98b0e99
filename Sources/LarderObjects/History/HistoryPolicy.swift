#if Objects
/// What a database file records about each save, and for how long.
///
/// The file stores the policy, and every manager and process that writes to the file follows it. To choose a policy, set
/// ``ObjectStorageConfiguration/history``.
public struct HistoryPolicy: Sendable, Hashable {
    /// The policy in the form that the file stores.
    let stored: StoredHistoryPolicy
    /// The limit on the saves to keep, or `nil` if there is none.
    let limit: HistoryLimit?

    /// Keeps about the newest 1,000 saves, for merging between processes, without old values.
    ///
    /// A manager with this policy does not change the policy of a file that keeps more. To do so, call
    /// ``SQLiteStorageManager/stopKeepingHistory()``.
    public static let `internal` = HistoryPolicy(stored: .internal, limit: nil)

    /// Keeps saves until they exceed a limit, with the values that ``AttributeOption/preserveValueOnDeletion`` selects.
    ///
    /// Opening a file with this policy stores the policy in the file. If the file already keeps old values, it continues to do so. The limit
    /// replaces the one in the file.
    ///
    /// - Parameters:
    ///   - oldValues: Whether to record the values that updated objects had before each save. See
    ///     ``ObjectChange/oldValue(_:as:)``.
    ///   - limit: The saves to keep, or `nil` to keep all saves until ``SQLiteStorageManager/trimHistory(to:)`` is called. The file is
    ///     trimmed about every 256 saves, so it may exceed the limit in between. A size limit may be exceeded by an eighth for longer. A limit
    ///     by token removes saves only when the file is opened.
    /// - Returns: The policy.
    public static func kept(oldValues: Bool = false, limit: HistoryLimit? = nil) -> HistoryPolicy {
        var stored = StoredHistoryPolicy(
            keeps: oldValues ? StoredHistoryPolicy.keepsValues : StoredHistoryPolicy.keepsSaves
        )
        switch limit {
        case .age(let age): stored.age = age / .seconds(1)
        case .bytes(let bytes): stored.bytes = Int64(bytes)
        case .token, nil: break
        }
        return HistoryPolicy(stored: stored, limit: limit)
    }
}

/// The policy in `larder_timeline`, which Documentation/Formats/objects-v3.md describes.
struct StoredHistoryPolicy: Sendable, Hashable {
    static let keepsSaves: Int64 = 1
    static let keepsValues: Int64 = 2
    static let `internal` = StoredHistoryPolicy(keeps: 0)

    var keeps: Int64
    /// The maximum age of a save in seconds.
    var age: Double?
    /// The maximum size of all saves.
    var bytes: Int64?

    /// Whether saves are kept for programs, so that tombstones keep values.
    var isKept: Bool { keeps != Self.internal.keeps }
    /// Whether saves are recorded with old values.
    ///
    /// This is also true for the policies of later versions of Larder.
    var hasOldValues: Bool { isKept && keeps != Self.keepsSaves }
    /// Whether this version of Larder knows the policy.
    var isKnown: Bool { (Self.internal.keeps...Self.keepsValues).contains(keeps) }

    /// Reads the policy of a file of format 3.
    static func read(_ statements: StatementCache) throws -> StoredHistoryPolicy {
        let sql = "SELECT keeps, age, bytes FROM larder_timeline"
        let policies = try statements.rows(sql) { row in
            var policy = StoredHistoryPolicy(keeps: row.integer(at: 0))
            if case .real(let age) = row.value(at: 1) { policy.age = age }
            policy.bytes = row.value(at: 2).integerValue
            return policy
        }
        // Without the row, which only another program can have deleted, nothing is known about what to remove.
        return policies.first ?? StoredHistoryPolicy(keeps: -1)
    }

    func write(_ statements: StatementCache) throws {
        try statements.run(
            "UPDATE larder_timeline SET keeps = ?, age = ?, bytes = ?",
            [.integer(keeps), age.map(ColumnValue.real) ?? .null, bytes.map(ColumnValue.integer) ?? .null]
        )
    }

    /// Returns the policy of a file with this policy after it is opened with another one.
    func raised(to other: StoredHistoryPolicy) -> StoredHistoryPolicy {
        guard other.isKept, isKnown else { return self }
        return StoredHistoryPolicy(keeps: max(keeps, other.keeps), age: other.age, bytes: other.bytes)
    }
}
#endif
