#if Command
import ArgumentParser
import LarderCore
import LarderDeviceStore

struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Writes a device store anew with only what is current.",
        discussion: """
            Happens by itself when it pays; other processes may have the store open meanwhile. The other kinds of store \
            write their whole file with every commit, and nothing is to be done.
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
                "\(base.inspectionName) is written anew with every commit: there is nothing to compact."
            )
        }
        let before = try store.statistics().usedBytes
        try ProgressBar.during("compacting") { try store.compact(progress: $0) }
        let after = try store.statistics().usedBytes
        try store.close()
        if output.format == .json { return try console.print(Self.json(store.path, (before, after))) }
        try console.print("\(store.path): \(before) bytes before, \(after) now.")
    }

    private static func json(_ path: String, _ sizes: (before: Int, after: Int)?) -> String {
        JSONWriter.object([
            ("store", JSONWriter.string(path)), ("bytesBefore", sizes.map { String($0.before) } ?? "null"),
            ("bytesAfter", sizes.map { String($0.after) } ?? "null"),
        ])
    }
}
#endif
