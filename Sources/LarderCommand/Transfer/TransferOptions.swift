#if Command
import ArgumentParser
import LarderCore
import LarderStores

/// The command-line options for copying entries between stores and files.
struct TransferOptions: ParsableArguments {
    @Flag(help: "Copy all valid entries, even if other entries can't be copied.")
    var possible = false

    @Flag(help: "Show which entries would be copied, without copying them.")
    var dryRun = false

    /// Copies the entries, or previews the copy, and prints a report.
    func run(
        from source: any KeyValueStore,
        prefix: String,
        into destination: any KeyValueStore,
        _ format: OutputFormat
    ) throws {
        let outcome =
            if dryRun {
                try destination.previewOfCopy(from: source, prefix: prefix, completeness)
            } else {
                try ProgressBar.during("copying") { progress in
                    try destination.copyEntries(from: source, prefix: prefix, completeness, progress: progress)
                }
            }
        if !dryRun { try destination.flush() }
        try report(outcome, from: source.inspectionName, to: destination.inspectionName, format)
    }

    func report(_ outcome: StoreTransfer, from source: String, to destination: String, _ format: OutputFormat) throws {
        let console = Console.current
        let report = TransferReport(source: source, destination: destination, transfer: outcome, isPreview: dryRun)
        switch format {
        case .json: try console.print(report.json)
        case .table: for line in report.lines { try console.print(line) }
        }
        for complaint in report.complaints { console.complain(complaint) }
        guard report.isComplete else {
            let count = outcome.refused.count + outcome.unreadable.count
            let entries = counted(count, "entry", "entries")
            let advice = possible || outcome.refused.isEmpty ? "" : " Add --possible to copy the other entries."
            throw CommandFailure.notFound("\(entries) can't be copied for the reasons listed above.\(advice)")
        }
    }

    var completeness: StoreTransfer.Completeness { possible ? .possible : .all }
}

extension TransferFormat: ExpressibleByArgument {}
#endif
