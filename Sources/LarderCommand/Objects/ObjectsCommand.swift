#if Command && Objects
import ArgumentParser
import Foundation
import LarderFiles
import LarderObjects

struct ObjectsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "objects",
        abstract: "Inspects, copies and recovers a database created by object storage.",
        discussion: """
            The classes of the database are not needed. Only restore changes the database. Without an action, the command lists the \
            entities and their object counts.
              larder objects FILE schema          the schema as SQL, or as a diagram with --format svg or mermaid
              larder objects FILE schema --diff OTHER   the SQL that gives FILE the schema of OTHER
              larder objects FILE diff OTHER      what migrating FILE to the model of OTHER would do and lose
              larder objects FILE rows ENTITY --where 'total >= 10'
              larder objects FILE swift           the source of the @Entity classes
              larder objects FILE freeze FOLDER   writes the model of FILE to FOLDER/vN.json
              larder objects FILE history         the migrations of FILE
              larder objects FILE log --follow    the saves of all processes, and each later save
              larder objects FILE verify          checks the whole database, with --deep every value too
              larder objects FILE backup TO       copies the database, even while it is in use
              larder objects FILE restore FROM    replaces the database with a backup, and keeps the former file
              larder objects FILE salvage TO      copies the readable objects of a corrupt database
            """
    )

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list, schema, diff, rows, swift, freeze, history, log, verify, backup, restore, salvage
    }

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, json, csv, sql, svg, mermaid
    }

    @Argument(help: "The path of the database file.")
    var file: String

    @Argument(
        help: """
            The action to run, which is list, schema, diff, rows, swift, freeze, history, log, verify, backup, restore or \
            salvage.
            """
    )
    var action: Action = .list

    @Argument(
        help: ArgumentHelp(
            "The argument of the action, which is the entity whose rows to print, the path of another file, or a folder to write to.",
            valueName: "entity-or-path"
        )
    )
    var operand: String?

    @Option(
        name: .customLong("where"),
        help: "Print only rows that match this condition, in the form 'column operator value'."
    )
    var condition: String?

    @Option(help: "The maximum number of rows or saves to print.")
    var limit: Int?

    @Flag(help: "After printing the log, prints each later save until interrupted.")
    var follow = false

    @Option(help: "Print only saves of the log after the save with this number.")
    var after: Int64?

    @Option(help: "The path of another database to compare the schema with, usually created from a later model.")
    var diff: String?

    @Flag(help: "Reads every object and checks its values against the model in the database.")
    var deep = false

    @Option(help: "The path of a frozen model to use if the model in the database can't be read during salvage.")
    var model: String?

    @Option(
        help:
            "The output format: sql, svg or mermaid for the schema action; table, json or csv for other actions."
    )
    var format: Format?

    func run() throws {
        let console = Console.current
        switch action {
        // The database may be missing or damaged.
        case .restore: return try restore(console)
        case .salvage: return try salvage(console)
        case .verify: return try verify(console)
        case .list, .schema, .diff, .rows, .swift, .freeze, .history, .log, .backup: break
        }
        let database = try Self.open(file)
        defer { database.close() }
        switch action {
        case .list: try list(database, console)
        case .schema: try schema(database, console)
        case .diff: try printDifference(database, console)
        case .rows: try rows(database, console)
        case .swift: try console.write(Data(database.swiftSource().utf8))
        case .freeze: try freeze(database, console)
        case .history: try history(database, console)
        case .log: try log(database, console)
        case .backup: try backup(database, console)
        case .restore, .salvage, .verify: break
        }
    }

    /// Opens a database in read-only mode.
    static func open(_ path: String) throws -> ObjectDatabase {
        try requireFile(path)
        return try ObjectDatabase(reading: path)
    }

    /// Throws an error if no file exists at the path.
    static func requireFile(_ path: String) throws {
        guard try LocalFileSystem().isThere(path) else { throw CommandFailure.missingFile(path) }
    }

    /// Throws an error if a file exists at the path.
    static func requireNoFile(_ path: String) throws {
        guard try !LocalFileSystem().isThere(path) else { throw CommandFailure.alreadyExists(path) }
    }

    /// Returns the argument that follows the action on the command line.
    ///
    /// - Parameter name: The argument's placeholder in the usage, such as "OTHER".
    /// - Returns: The argument.
    /// - Throws: ``CommandFailure`` if there is no argument.
    func required(_ name: String) throws -> String {
        guard let operand else {
            throw CommandFailure.usage(
                "The \(action.rawValue) action requires an argument. Write `larder objects FILE \(action.rawValue) \(name)`."
            )
        }
        return operand
    }

    /// Returns `true` if the output format is JSON, or `false` if it is a table.
    func isJSON() throws -> Bool {
        switch format ?? .table {
        case .table: return false
        case .json: return true
        case let other:
            throw CommandFailure.usage(
                "The result of \(action.rawValue) can't be printed as \(other.rawValue). Use --format table or json."
            )
        }
    }
}
#endif
