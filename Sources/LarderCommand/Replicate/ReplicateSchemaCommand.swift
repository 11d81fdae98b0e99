#if Command
import ArgumentParser
#if Postgres
import LarderPostgres
#endif

struct ReplicateSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the SQL that prepares a database.",
        discussion: """
            A program whose role may create schemas needs no preparation. Otherwise an administrator runs this SQL once, as in \
            `larder replicate schema | psql app`, and grants the rights that it describes.
            """
    )

    func run() throws {
        #if Postgres
        try Console.current.print(PostgresSchema.script)
        #else
        throw CommandFailure.noPostgres
        #endif
    }
}
#endif
