public import LarderCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The replication of a store among machines, as inspection tools display it beside the store.
///
/// ```swift
/// let inspected: [any Inspectable] = [store, InspectedReplication(store)]
/// ```
public struct InspectedReplication: Inspectable {
    /// The maximum number of commits that are listed.
    private static let mostListed = 1_000
    /// The maximum number of numbers without a commit that are looked at.
    private static let mostMissing = 1 << 16

    private let store: ReplicatedStore

    /// Creates the display of a store's replication.
    ///
    /// - Parameter store: The replicated store.
    public init(_ store: ReplicatedStore) { self.store = store }

    /// The name of the replica.
    public var inspectionName: String { store.inspectionName }
    /// The kind, which is "replication".
    public var inspectionKind: String { "replication" }
    /// The role `InspectionRole.replication`.
    public var inspectionRole: InspectionRole { .replication }
    /// The channel of the replica.
    public var inspectionIssues: IssueChannel? { store.issues }

    /// Returns how far the replica follows the cluster.
    public func inspectionFacts() throws -> [InspectionFact] {
        let freshness = store.freshness
        var facts = [
            InspectionFact("cluster", store.engine.name),
            InspectionFact("replicating", freshness.isReplicating ? "by this instance" : "not by this instance"),
            InspectionFact("last contact", freshness.lastContact.map { "\(StoredValue.date($0))" } ?? "never"),
            InspectionFact("position", freshness.position.map { "\($0)" } ?? "none"),
            InspectionFact("pending", String(freshness.pending)),
            InspectionFact("rejected", String(freshness.rejected)),
        ]
        if let failure = freshness.failure { facts.append(InspectionFact("failure", failure)) }
        return facts
    }

    /// Returns the pending commits as rows.
    public func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow] {
        guard limit > 0 else { return [] }
        var query = InspectionQuery(table: "pending", limit: limit)
        query.prefix = prefix
        return try inspectionPage(query).records.map { record in
            InspectionRow(
                key: record.key,
                kind: "commit",
                value: record.values.map(\.description).joined(separator: ", ")
            )
        }
    }

    /// Returns the tables "pending" and "rejected", whose records are commits.
    public func inspectionTables() throws -> [InspectionTable] { try [pendingTable().table, rejectedTable().table] }

    /// Returns the table "pending" or "rejected" without counting its commits, or `nil` for another name.
    public func inspectionTable(named name: String) -> InspectionTable? {
        ["pending", "rejected"].contains(name) ? InspectionTable(name: name, columns: Self.columns) : nil
    }

    /// Returns the next commits, oldest first.
    public func inspectionPage(_ query: InspectionQuery) throws -> InspectionPage { try table(query.table).page(query) }

    /// Returns one commit, or `nil` if it is no longer listed.
    public func inspectionRecord(_ key: String, in table: String) throws -> InspectionRecord? {
        try self.table(table).record(key)
    }

    /// Returns the numbers of pending and rejected commits, and the time since the last contact.
    public func inspectionStatistics() throws -> [InspectionStatistic] {
        let freshness = store.freshness
        let now = store.options.environment.time.now
        return [
            InspectionStatistic("pending", Double(freshness.pending)),
            InspectionStatistic("rejected", Double(freshness.rejected)),
        ]
            + [freshness.lastContact].compactMap { contact in
                contact.map {
                    InspectionStatistic("since contact", max(0, now.timeIntervalSince($0)), .gauge, .seconds)
                }
            }
    }

    // MARK: - Tables

    private func table(_ name: String) throws -> InspectionRecords {
        switch name {
        case "pending": return try pendingTable()
        case "rejected": return try rejectedTable()
        default:
            throw InspectionQueryError(
                "Replication has no table \(name.debugDescription). Name \"pending\" or \"rejected\"."
            )
        }
    }

    private func pendingTable() throws -> InspectionRecords {
        let replica = store.replica
        return try records("pending", replica.pendingNumbers(), { ReplicaKeys.pending($0) }) { number in
            try replica.pending(number).map { commit in
                let writes = try commit.writes.map { write in
                    let value = try write.value.map { try StoredValue(decoding: $0) }
                    return (String(decoding: write.key, as: UTF8.self), value)
                }
                return Self.record(number, writes, "waits for the cluster")
            }
        }
    }

    private func rejectedTable() throws -> InspectionRecords {
        let replica = store.replica
        let numbers = try replica.rejectedList().numbers
        // The latest commits are of interest, and usually none is missing between them.
        let latest = max(numbers.lowerBound, numbers.upperBound - Int64(Self.mostListed))..<numbers.upperBound
        return try records("rejected", latest, { ReplicaKeys.rejected($0) }) { number in
            let commit = try replica.rejected(number)?.published(number)
            return commit.map { Self.record(number, $0.writes.map { ($0.key, $0.value) }, "\($0.reason)") }
        }
    }

    /// Returns the table of the commits whose records exist.
    private func records(
        _ name: String,
        _ numbers: Range<Int64>,
        _ key: (Int64) -> StoreKey,
        read: @escaping (Int64) throws -> InspectionRecord?
    ) throws -> InspectionRecords {
        var listed: [Int64] = []
        var missing = 0
        for number in numbers {
            guard listed.count < Self.mostListed, missing < Self.mostMissing else { break }
            if try store.base.get(key(number)) != nil { listed.append(number) } else { missing += 1 }
        }
        return InspectionRecords(name, Self.columns, keys: listed.map(String.init), by: Self.precedes) { index in
            try read(listed[index])
        }
    }

    private static let columns = [
        InspectionColumn("number", type: "Int"), InspectionColumn("state", type: "String"),
        InspectionColumn("keys", type: "[String]"), InspectionColumn("values", type: "[String: any]"),
    ]

    private static func precedes(_ left: String, _ right: String) -> Bool { Int64(left) ?? 0 < Int64(right) ?? 0 }

    private static func record(
        _ number: Int64,
        _ writes: [(key: String, value: StoredValue?)],
        _ state: String
    ) -> InspectionRecord {
        InspectionRecord(
            key: String(number),
            values: [
                .int(number), .string(state), .array(writes.map { .string($0.key) }),
                .named(writes.map { ($0.key, $0.value ?? .null) }),
            ]
        )
    }
}
