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

    private let store: ReplicatedStore

    /// Creates the display of a store's replication.
    ///
    /// - Parameter store: The replicated store.
    public init(_ store: ReplicatedStore) { self.store = store }

    /// The name of the replica.
    public var inspectionName: String { store.inspectionName }
    /// The kind, which is "replication".
    public var inspectionKind: String { "replication" }
    /// The role ``LarderCore/InspectionRole/replication``.
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
        try pending().filter { $0.key.utf8.starts(with: prefix.utf8) }.prefix(max(0, limit)).map { record in
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
        InspectionRecords("pending", Self.columns, try pending(), by: Self.precedes)
    }

    private func rejectedTable() throws -> InspectionRecords {
        let rejected = try store.rejected().suffix(Self.mostListed).map { commit in
            Self.record(commit.number, commit.writes.map { ($0.key, $0.value) }, "\(commit.reason)")
        }
        return InspectionRecords("rejected", Self.columns, rejected, by: Self.precedes)
    }

    private func pending() throws -> [InspectionRecord] {
        let (first, next) = (try store.replica.first(), try store.replica.counters().next)
        var records: [InspectionRecord] = []
        for number in first..<max(first, next) {
            guard records.count < Self.mostListed else { break }
            guard let commit = try store.replica.pending(number) else { continue }
            let writes = try commit.writes.map { write in
                (String(decoding: write.key, as: UTF8.self), try write.value.map { try StoredValue(decoding: $0) })
            }
            records.append(Self.record(number, writes, "waits for the cluster"))
        }
        return records
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
