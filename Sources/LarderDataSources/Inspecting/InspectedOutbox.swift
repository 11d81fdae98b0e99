public import LarderCore
import Synchronization

/// The queue of an outbox, as inspection tools display it.
public struct InspectedOutbox: Inspectable {
    private let queue: OutboxQueue
    private let attempts: @Sendable () -> OutboxAttempts

    /// Creates the display of an outbox.
    ///
    /// - Parameter outbox: The outbox, which is observed without changing how it sends.
    public init<T>(_ outbox: OutboxDataSource<T>) {
        queue = outbox.queue
        attempts = { outbox.state.withLock(\.attempts) }
    }

    /// The names of the outbox and its store.
    public var inspectionName: String { "\(queue.name) in \(queue.store.inspectionName)" }
    /// The kind, which is "outbox".
    public var inspectionKind: String { "outbox" }
    /// The role `InspectionRole.outbox`.
    public var inspectionRole: InspectionRole { .outbox }
    /// The channel that reports rejected writes.
    public var inspectionIssues: IssueChannel? { .shared }

    /// Returns the numbers of pending and rejected writes, and the last error.
    public func inspectionFacts() throws -> [InspectionFact] {
        let attempts = attempts()
        let facts = [
            InspectionFact("pending", String(try queue.numbers(in: \.waiting).count)),
            InspectionFact("rejected", String(try queue.numbers(in: \.rejected).count)),
            InspectionFact("attempts since the last success", String(attempts.sinceSuccess)),
        ]
        return facts + [attempts.error].compactMap { $0.map { InspectionFact("last error", $0) } }
    }

    /// Returns the pending writes as rows.
    public func inspectionRows(prefix: String, limit: Int) throws -> [InspectionRow] {
        guard limit > 0 else { return [] }
        var query = InspectionQuery(table: "pending", limit: limit)
        query.prefix = prefix
        return try inspectionPage(query).records.map { record in
            let text = record.values.map(\.description).joined(separator: ", ")
            return InspectionRow(key: record.key, kind: "write", value: text)
        }
    }

    /// Returns the tables "pending" and "rejected", whose records are writes.
    public func inspectionTables() throws -> [InspectionTable] { try [pending().table, rejected().table] }

    /// Returns the table "pending" or "rejected" without counting its writes, or `nil` for another name.
    public func inspectionTable(named name: String) -> InspectionTable? {
        ["pending", "rejected"].contains(name) ? InspectionTable(name: name, columns: Self.columns) : nil
    }

    /// Returns the next writes, in the order of the queue.
    public func inspectionPage(_ query: InspectionQuery) throws -> InspectionPage { try table(query.table).page(query) }

    /// Returns one write, or `nil` if it is no longer in the queue.
    public func inspectionRecord(_ key: String, in table: String) throws -> InspectionRecord? {
        try self.table(table).record(key)
    }

    /// Returns the numbers of pending and rejected writes, and of the attempts of this outbox object.
    public func inspectionStatistics() throws -> [InspectionStatistic] {
        let attempts = attempts()
        return [
            InspectionStatistic("pending", Double(try queue.numbers(in: \.waiting).count)),
            InspectionStatistic("rejected", Double(try queue.numbers(in: \.rejected).count)),
            InspectionStatistic("attempts", Double(attempts.total), .counter),
            InspectionStatistic("failures", Double(attempts.failures), .counter),
        ]
    }

    private func table(_ name: String) throws -> InspectionRecords {
        switch name {
        case "pending": return try pending()
        case "rejected": return try rejected()
        default:
            throw InspectionQueryError(
                "An outbox has no table \(name.debugDescription). Name \"pending\" or \"rejected\"."
            )
        }
    }

    private func pending() throws -> InspectionRecords {
        // Only the first write is sent, because later ones must not overtake it.
        try records("pending", queue.numbers(in: \.waiting), firstAttempts: attempts())
    }

    private func rejected() throws -> InspectionRecords {
        try records("rejected", queue.numbers(in: \.rejected), firstAttempts: nil)
    }

    private func records(_ name: String, _ numbers: [Int64], firstAttempts: OutboxAttempts?) -> InspectionRecords {
        InspectionRecords(name, Self.columns, keys: numbers.map(String.init), by: Self.precedes) { [queue] index in
            try queue.entry(numbers[index]).map { InspectionRecord($0, index == 0 ? firstAttempts : nil) }
        }
    }

    private static let columns = [
        InspectionColumn("number", type: "Int"), InspectionColumn("verb", type: "String"),
        InspectionColumn("keys", type: "[String]"), InspectionColumn("values", type: "any"),
        InspectionColumn("written", type: "Date"), InspectionColumn("attempts", type: "Int?"),
        InspectionColumn("error", type: "String?"),
    ]

    private static func precedes(_ left: String, _ right: String) -> Bool { Int64(left) ?? 0 < Int64(right) ?? 0 }
}

/// The attempts of one outbox object to send writes.
struct OutboxAttempts: Sendable {
    var total = 0
    var failures = 0
    /// The number of attempts since one succeeded, which are attempts to send the first write of the queue.
    var sinceSuccess = 0
    /// The description of the error of the last attempt, or `nil` if it succeeded.
    var error: String?

    /// Returns the description of an error, cut to a length for display.
    static func text(_ error: any Error) -> String { String("\(error)".prefix(1_000)) }

    /// Notes the end of an attempt, with the description of its error.
    mutating func note(_ error: String?) {
        total += 1
        self.error = error
        if error == nil {
            sinceSuccess = 0
        } else {
            sinceSuccess += 1
            failures += 1
        }
    }

    /// Notes the end of an attempt whose write was refused, so that the next one is about another write.
    mutating func noteRefusal() {
        total += 1
        failures += 1
        sinceSuccess = 0
        error = nil
    }
}

extension InspectionRecord {
    fileprivate init(_ entry: OutboxEntry, _ attempts: OutboxAttempts?) {
        let keys: StoredValue =
            switch entry.selection {
            case .key(let key): .array([.string(key)])
            case .keys(let keys): .array(keys.map { .string($0) })
            case .all: .string("all")
            }
        self.init(
            key: String(entry.number),
            values: [
                .int(entry.number), .string(entry.verb.rawValue), keys, entry.inspectedValues,
                .date(entry.writtenAt), attempts.map { .int(Int64($0.sinceSuccess)) } ?? .null,
                attempts?.error.map { .string($0) } ?? .null,
            ]
        )
    }
}

extension OutboxEntry {
    /// The values under their keys, so that inspection tools mask those whose keys look like the names of secrets.
    fileprivate var inspectedValues: StoredValue {
        let values = values.map { StoredValue.data($0) }
        let keys: [String] =
            switch selection {
            case .key(let key): [key]
            case .keys(let keys): keys
            case .all: []
            }
        if keys.isEmpty { return .array(values) }
        if keys.count == values.count { return .named(zip(keys, values)) }
        // Which value belongs to which key is unknown.
        return values.isEmpty ? .array([]) : .named([(keys.joined(separator: ", "), .array(values))])
    }
}
