#if Command
import ArgumentParser

/// The option that selects the output format of a command.
struct FormatOptions: ParsableArguments {
    @Option(help: "The output format: 'table' for people or 'json' for programs.")
    var format: OutputFormat = .table
}
#endif
