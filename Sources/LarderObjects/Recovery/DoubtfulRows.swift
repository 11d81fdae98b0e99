#if Objects
internal import Foundation

/// The table `larder_in_doubt` of a salvaged database, which contains rows that could not be salvaged with certainty.
struct DoubtfulRows {
    static let table =
        "CREATE TABLE larder_in_doubt (entity TEXT, objectID INTEGER, page INTEGER, reason TEXT NOT NULL, row TEXT NOT NULL) STRICT"

    private let statements: StatementCache
    private let encoder = JSONEncoder()

    /// Creates the table `larder_in_doubt`.
    init(_ statements: StatementCache) throws {
        self.statements = statements
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try statements.run(Self.table)
    }

    /// Adds a row to the table of rows in doubt.
    ///
    /// - Parameters:
    ///   - entity: The entity or join table of the row, or `nil` if the row fits several tables or none.
    ///   - id: The id of the object.
    ///   - page: The number of the page that contains the row, or `nil` if the page is known to belong to the row's table.
    ///   - reason: The reason why the row is in doubt.
    ///   - names: The names of the columns, or `nil` if the names are unknown.
    ///   - values: The values of the row.
    /// - Throws: The error that SQLite reports.
    func add(
        entity: String?,
        id: Int64,
        page: Int? = nil,
        reason: String,
        names: [String]?,
        values: [ColumnValue]
    ) throws {
        let cells = values.map(Cell.init)
        let row: Data
        if let names {
            row = try encoder.encode(Dictionary(zip(names, cells), uniquingKeysWith: { first, _ in first }))
        } else {
            row = try encoder.encode(cells)
        }
        try statements.run(
            "INSERT INTO larder_in_doubt VALUES (?, ?, ?, ?, ?)",
            [
                entity.map { .text($0) } ?? .null, .integer(id), page.map { .integer(Int64($0)) } ?? .null,
                .text(reason), .text(String(decoding: row, as: UTF8.self)),
            ]
        )
    }

    /// Returns the number of rows in doubt, keyed by entity or join table, or by `nil` for rows that fit several tables or none.
    func counts() throws -> [String?: Int] {
        let rows = try statements.rows("SELECT entity, count(*) FROM larder_in_doubt GROUP BY entity") { row in
            var name: String?
            if case .text(let text) = row.value(at: 0) { name = text }
            return (name, Int(row.integer(at: 1)))
        }
        return Dictionary(rows, uniquingKeysWith: +)
    }

    /// A column value that is encoded as JSON.
    ///
    /// Finite numbers, strings and NULL become JSON literals. Binary data becomes `{"blob": "base64"}`.
    private struct Cell: Encodable {
        let value: ColumnValue

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .null: try container.encodeNil()
            case .integer(let integer): try container.encode(integer)
            case .real(let real) where real.isFinite: try container.encode(real)
            case .real(let real): try container.encode(["real": "\(real)"])
            case .text(let text): try container.encode(text)
            case .blob(let data): try container.encode(["blob": data.base64EncodedString()])
            }
        }
    }
}
#endif
