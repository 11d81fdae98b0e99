#if Command
import ArgumentParser
import LarderCore
import LarderDeviceStore

struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Rewrites a device store's file so that it contains only current values.",
        discussion: """
            Other processes may keep the store open in the meantime. Device stores are also compacted automatically. Stores of \
            other kinds rewrite their whole file on each commit and need no compaction.
            """
    )

    @OptionGroup var output: FormatOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let console = Console.current
        _ = try store.opener.existing()
        let base = try store.opener.openBase(for: .writing)
        guard let store = base as? DeviceStore else {
            if output.format == .json { return try console.print(Self.json(base.inspectionName, nil)) }
            return try console.print(
                "The store \(base.inspectionName.debugDescription) is rewritten on each commit, so there is nothing to compact."
            )
        }
        let before = try store.statistics().usedBytes
        try ProgressBar.during("compacting") { try store.compact(progress: $0) }
        let after = try store.statistics().usedBytes
        try store.close()
        if output.format == .json { return try console.print(Self.json(store.path, (before, after))) }
        try console.print("Compacted \(store.path.debugDescription) from \(before) to \(after) bytes.")
    }

    private static func json(_ path: String, _ sizes: (before: Int, after: Int)?) -> String {
        JSONWriter.object([
            ("store", JSONWriter.string(path)), ("bytesBefore", sizes.map { String($0.before) } ?? "null"),
            ("bytesAfter", sizes.map { String($0.after) } ?? "null"),
        ])
    }
}
#endif
