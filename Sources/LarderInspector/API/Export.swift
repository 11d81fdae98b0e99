#if Inspector
import LarderCore
import Synchronization

/// The records of a table as a file, which is read page by page while it is sent.
final class Export: Sendable {
    enum Format: String {
        case csv, json
    }

    private enum Position {
        case beginning
        case page(after: String?)
        case end
    }

    private struct State {
        var position = Position.beginning
        var count = 0
    }

    private let inspected: InspectedInstance
    private let query: InspectionQuery
    private let columns: RecordColumns
    private let choice: ColumnChoice
    private let format: Format
    private let state = Mutex(State())

    /// The maximum number of records.
    private static let limit = 1_000_000

    init(_ inspected: InspectedInstance, _ target: RequestTarget) throws {
        guard let format = try Format(rawValue: target.required("format")) else {
            throw Refusal.badRequest("The parameter \"format\" is neither csv nor json. Correct it.")
        }
        let table = try inspected.table(target.text("table"))
        var query = try target.query(of: table)
        // Few large pages, because each may be a pass over all keys. Values are whole, so their bytes limit a page.
        query.limit = 10_000
        query.longestValue = nil
        query.patience = .seconds(1)
        self.inspected = inspected
        self.query = query
        self.format = format
        columns = try RecordColumns(table, inspected.instance.inspectionRole, revealing: target.revealed(in: table))
        choice = try target.columnChoice(in: table)
        // A mistake in the query must be answered before the file begins.
        query.limit = 1
        query.longestValue = 0
        query.patience = .milliseconds(10)
        _ = try inspected.instance.inspectionPage(query)
    }

    /// The answer, which calls this export for each piece.
    var answer: InspectorAnswer {
        InspectorAnswer(
            download: query.table + "." + format.rawValue,
            type: format == .csv ? "text/csv; charset=utf-8" : InspectorAnswer.json,
            .pieces { try self.next() }
        )
    }

    /// Returns the next piece of the file, or `nil` at its end.
    private func next() throws -> [UInt8]? {
        let (position, count) = state.withLock { ($0.position, $0.count) }
        switch position {
        case .beginning:
            state.withLock { $0.position = .page(after: nil) }
            return format == .csv ? CSV.line(header) : Array("[".utf8)
        case .page(let after):
            var query = query
            query.after = after
            let page = try inspected.instance.inspectionPage(query)
            let records = page.records.prefix(Self.limit - count)
            var bytes: [UInt8] = []
            for (offset, record) in records.enumerated() { bytes += text(of: record, isFirst: count + offset == 0) }
            let isCut = count + records.count >= Self.limit && page.next != nil
            let isLast = isCut || page.next == nil
            if isLast { bytes += ending(isCut: isCut) }
            state.withLock { state in
                state.count += records.count
                state.position = isLast ? .end : .page(after: page.next)
            }
            return bytes
        case .end: return nil
        }
    }

    private var header: [String] {
        ((identity.map { [$0] } ?? []) + choice.indexes.map { columns.names[$0] }).map(CSV.text)
    }

    /// The name of the column before the others, or `nil` if one of them is the identity of the records.
    private var identity: String? {
        columns.identity ?? (choice.indexes.contains { columns.names[$0] == "key" } ? nil : "key")
    }

    private func text(of record: InspectionRecord, isFirst: Bool) -> [UInt8] {
        switch format {
        case .json:
            var json = JSONText()
            json.record(record, columns, .whole, choice)
            return Array((isFirst ? "\n" : ",\n").utf8) + json.bytes
        case .csv:
            let cells = choice.indexes(of: record).map { index in
                let form = columns.form(.whole, of: index)
                return columns.isSecret(index, of: record) && !form.reveals
                    ? "(masked)" : CSV.cell(record.values[index], form)
            }
            // The key of an object is a number.
            return CSV.line(identity == nil ? cells : [CSV.text(record.key)] + cells)
        }
    }

    private func ending(isCut: Bool) -> [UInt8] {
        switch format {
        // Without its last bracket, a file that was cut is not JSON.
        case .json: isCut ? [] : Array("\n]\n".utf8)
        case .csv: isCut ? CSV.line(["(The file ends after \(Self.limit) records. Export fewer.)"]) : []
        }
    }
}
#endif
