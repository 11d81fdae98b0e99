#if Command
import ArgumentParser

/// The option that selects the output format of a command.
struct FormatOptions: ParsableArguments {
    @Option(help: "The output format: 'table' (human-readable) or 'json' (machine-readable).")
    var format: OutputFormat = .table
}
#endif
