#if Command
import ArgumentParser
import LarderCore
import LarderStores

/// How entries are copied.
struct TransferOptions: ParsableArguments {
    @Flag(help: "Copy what can be held when not everything can.")
    var possible = false

    @Flag(help: "Say what would be copied, and copy nothing.")
    var dryRun = false

    /// Copies, or looks what would be copied, and prints the report.
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
            let count = outcome.refused.count + outcome.unread.count
            throw CommandFailure.notFound("\(count == 1 ? "1 entry" : "\(count) entries") could not be carried.")
        }
    }

    var completeness: StoreTransfer.Completeness { possible ? .possible : .all }
}

extension TransferFormat: ExpressibleByArgument {}
#endif
