#if Command && Objects
import ArgumentParser
import Foundation
import LarderObjects

struct ObjectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "objects",
        abstract: "Looks into a database of object storage.",
        discussion: """
            Nothing is ever written to the database. Without anything after FILE the entities are listed with how many \
            objects there are.
              larder objects FILE schema          the SQL, or a diagram with --format svg or mermaid
              larder objects FILE schema --diff OTHER   what would make FILE like OTHER
              larder objects FILE rows ENTITY --where 'total >= 10'
              larder objects FILE swift           the source of the @Entity classes
              larder objects FILE verify          everything is read and checked
            """
    )

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list, schema, rows, swift, verify
    }

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, json, csv, sql, svg, mermaid
    }

    @Argument(help: "The database.")
    var file: String

    @Argument(help: "list, schema, rows, swift or verify.")
    var action: Action = .list

    @Argument(help: "The entity whose rows to show.")
    var entity: String?

    @Option(name: .customLong("where"), help: "Which rows: 'column operator value'.")
    var condition: String?

    @Option(help: "How many rows at most.")
    var limit: Int?

    @Option(help: "Another database, made for a later model.")
    var diff: String?

    @Option(help: "table, json or csv; for the schema sql, svg or mermaid.")
    var format: Format?

    func run() throws {
        let database = try ObjectDatabase(reading: file)
        defer { database.close() }
        let console = Console.current
        switch action {
        case .list: try list(database, console)
        case .schema: try schema(database, console)
        case .rows: try rows(database, console)
        case .swift: try console.write(Data(database.swiftSource().utf8))
        case .verify: try verify(database, console)
        }
    }

    private func list(_ database: ObjectDatabase, _ console: Console) throws {
        try print(
            ["ENTITY", "OBJECTS", "ATTRIBUTES", "RELATIONSHIPS"],
            database.entities.map { [$0.name, "\($0.count)", "\($0.attributes.count)", "\($0.relationships.count)"] },
            console
        )
    }

    private func schema(_ database: ObjectDatabase, _ console: Console) throws {
        if let diff {
            let other = try ObjectDatabase(reading: diff)
            defer { other.close() }
            let difference = try database.difference(to: other)
            for statement in difference.statements { try console.print(statement + ";") }
            for refusal in difference.refusals { try console.print("-- refused: " + refusal) }
            if difference.isEmpty { try console.print("-- no difference") }
            return
        }
        switch format ?? .sql {
        case .sql: for statement in try database.schema() { try console.print(statement) }
        case .svg: try console.write(Data(database.svg().utf8))
        case .mermaid: try console.write(Data(database.mermaid().utf8))
        default: throw CommandFailure.usage("The schema is printed as sql, svg or mermaid.")
        }
    }

    private func rows(_ database: ObjectDatabase, _ console: Console) throws {
        guard let name = entity else { throw CommandFailure.usage("Say whose rows: larder objects FILE rows ENTITY.") }
        let (columns, rows) = try database.rows(of: try database.entity(name), where: condition, limit: limit)
        try print(columns, rows, console)
    }

    private func verify(_ database: ObjectDatabase, _ console: Console) throws {
        let problems = try ProgressBar.during("verifying") { _ in try database.verify() }
        guard problems.isEmpty else {
            for problem in problems { console.complain(problem) }
            throw CommandFailure.storage("\(file) has \(problems.count) problem(s): restore a copy, or move it aside.")
        }
        let count = database.entities.reduce(0) { $0 + $1.count }
        try console.print("\(file): \(count) objects, version \(database.modelVersion) of the model, nothing wrong.")
        try console.print(ObjectDatabase.engine)
    }

    private func print(_ header: [String], _ rows: [[String?]], _ console: Console) throws {
        switch format ?? .table {
        case .table:
            var table = Table(header)
            for row in rows { table.add(row.map { $0?.inOneLine ?? "nil" }) }
            for line in table.lines(lastColumnLimit: console.isTerminal ? 60 : nil) { try console.print(line) }
        case .json:
            let objects = rows.map { row in
                JSONWriter.object(zip(header, row).map { ($0, $1.map(JSONWriter.string) ?? "null") })
            }
            try console.print(objects.isEmpty ? "[]" : "[\n  " + objects.joined(separator: ",\n  ") + "\n]")
        case .csv:
            for row in [header] + rows { try console.print(row.map(Self.cell).joined(separator: ",")) }
        default: throw CommandFailure.usage("Rows are printed as table, json or csv.")
        }
    }

    /// A cell as RFC 4180 has it.
    private static func cell(_ text: String?) -> String {
        guard let text else { return "" }
        let isPlain = !text.contains { $0 == "," || $0 == "\"" || $0.isNewline } && !text.isEmpty
        return isPlain
            ? text
            : "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
#endif
