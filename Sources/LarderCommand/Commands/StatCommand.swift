#if Command
import ArgumentParser
import LarderCore
import LarderFiles
import LarderDeviceStore
import LarderStores

struct StatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Shows a store's kind, size and guarantees.",
        discussion: """
            The store is not changed. If an encrypted store is opened without its key, only the properties that can be read \
            without the key are shown. The progress bar advances in one step, because opening the store takes most of the time.
            """
    )

    @OptionGroup var output: FormatOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let console = Console.current
        let opener = self.store.opener
        let facts = try ProgressBar.during("reading") { progress in
            // Opening the store reads the whole file. This can take a long time, and no progress is reported.
            progress(StoreProgress(completed: 0, total: 1))
            let (store, base) = try opener.openForLooking(.reading)
            let facts = try Self.facts(of: store, over: base, at: opener.location())
            progress(StoreProgress(completed: 1, total: 1))
            return facts
        }
        try console.print(facts, output.format)
    }

    // The path is that of the store's file, or `nil` if the store has no file.
    private static func facts(
        of store: any KeyValueStore,
        over base: any KeyValueStore,
        at path: String?
    ) throws -> [Fact] {
        var facts = [Fact("store", "store", store.inspectionName), Fact("kind", "kind", store.inspectionKind)]
        if try EncryptedEntries.exist(in: base) { facts.append(Fact("encrypted", "isEncrypted", true)) }
        facts.append(Fact("entries", "entries", try store.count()))
        if let device = store as? DeviceStore {
            let statistics = try device.statistics()
            facts += [
                Fact("live bytes", "liveBytes", statistics.liveBytes),
                Fact("dead bytes", "deadBytes", statistics.deadBytes),
                Fact("file bytes", "fileBytes", statistics.fileBytes),
                Fact("generation", "generation", statistics.generation),
            ]
        } else if let file = base as? WholeFileStore {
            // The store may read its contents from a backup file instead of the file at the path.
            if let size = try file.fileContents()?.count { facts.append(Fact("file bytes", "fileBytes", size)) }
        } else if let path, let file = try LocalFileSystem().information(at: path, followingLinks: true) {
            facts.append(Fact("file bytes", "fileBytes", file.size))
        }
        let capabilities = store.capabilities
        return facts + [
            Fact("survives process exit", "survivesProcess", capabilities.survivesProcess),
            Fact("atomic commits", "hasCrashAtomicTransactions", capabilities.hasCrashAtomicTransactions),
            Fact("shared by processes", "isSharedBetweenProcesses", capabilities.isSharedBetweenProcesses),
            Fact("write cost", "writeCost", capabilities.writeCost == .entry ? "entry" : "wholeStore"),
            Fact("limitation", "limitations", list: capabilities.limitations),
        ]
    }
}
#endif
