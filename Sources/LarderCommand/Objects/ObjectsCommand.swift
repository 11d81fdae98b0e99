#if Command && Objects
import ArgumentParser
import Foundation
import LarderCore
import LarderObjects

struct ObjectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "objects",
        abstract: "Inspects a database created by object storage.",
        discussion: """
            The database is never changed. Without an action, the command lists the entities with their object counts.
              larder objects FILE schema          the schema as SQL, or as a diagram with --format svg or mermaid
              larder objects FILE schema --diff OTHER   the SQL that gives FILE the schema of OTHER
              larder objects FILE rows ENTITY --where 'total >= 10'
              larder objects FILE swift           the source of the @Entity classes
              larder objects FILE verify          the problems found by checking the whole database
            """
    )

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list, schema, rows, swift, verify
    }

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, json, csv, sql, svg, mermaid
    }

    @Argument(help: "The path of the database file.")
    var file: String

    @Argument(help: "The action to run, which is list, schema, rows, swift or verify.")
    var action: Action = .list

    @Argument(help: "The entity whose rows to print.")
    var entity: String?

    @Option(
        name: .customLong("where"),
        help: "The condition that printed rows must meet, in the form 'column operator value'."
    )
    var condition: String?

    @Option(help: "The maximum number of rows to print.")
    var limit: Int?

    @Option(help: "The path of another database to compare the schema with, usually created from a later model.")
    var diff: String?

    @Option(
        help:
            "The output format, which is sql, svg or mermaid for the schema action and table, json or csv for other actions."
    )
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
        case let other:
            throw CommandFailure.usage(
                "The schema can't be printed as \(other.rawValue). Use --format sql, svg or mermaid."
            )
        }
    }

    private func rows(_ database: ObjectDatabase, _ console: Console) throws {
        guard let name = entity else {
            throw CommandFailure.usage("The rows action requires an entity. Use `larder objects FILE rows ENTITY`.")
        }
        let (columns, rows) = try database.rows(of: try database.entity(name), where: condition, limit: limit)
        try print(columns, rows, console)
    }

    private func verify(_ database: ObjectDatabase, _ console: Console) throws {
        let problems = try ProgressBar.during("verifying") { _ in try database.verify() }
        guard problems.isEmpty else {
            for problem in problems { console.complain(problem) }
            throw CommandFailure.storage(
                "\(file.debugDescription) has \(counted(problems.count, "problem")). Restore the file from a backup, or rename it to start with an empty database."
            )
        }
        let count = database.entities.reduce(0) { $0 + $1.count }
        let objects = counted(count, "object")
        try console.print(
            "Checked \(objects) in \(file.debugDescription), model version \(database.modelVersion). No problems were found."
        )
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
        case let other:
            throw CommandFailure.usage(
                "A table can't be printed as \(other.rawValue). Use --format table, json or csv."
            )
        }
    }

    /// Returns `text` as a CSV field, quoted and escaped as RFC 4180 requires.
    private static func cell(_ text: String?) -> String {
        guard let text else { return "" }
        let isPlain = !text.contains { $0 == "," || $0 == "\"" || $0.isNewline } && !text.isEmpty
        return isPlain
            ? text
            : "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
#endif
