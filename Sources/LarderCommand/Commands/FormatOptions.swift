#if Command
import ArgumentParser

/// How a command prints what it did or found.
struct FormatOptions: ParsableArguments {
    @Option(help: "table for people, json for programs.")
    var format: OutputFormat = .table
}
#endif
