#if Command
import ArgumentParser
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderReplication

struct ReplicateSnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Writes all entries of a store in a cluster to a new device store.",
        discussion: """
            The file has the entries of one position, and can be read like any device store. It is also a replica: a machine that \
            opens it as such need not load the entries from the cluster. An existing file is never overwritten.
            """
    )

    @Argument(help: "The address of a store in a cluster.")
    var address: ArgumentText

    @Argument(help: "The path of the file to create.")
    var destination: ArgumentText

    @OptionGroup var output: FormatOptions

    func run() throws {
        let path = destination.text
        let address = try ClusterAddress(required: address.text)
        guard try !LocalFileSystem().isThere(path) else { throw CommandFailure.alreadyExists(path) }
        let engine = try ClusterConnection.connect(address, .isAnError)
        // The file is complete when it appears at the path, because it is a backup of the one that is filled here.
        let hidden = FilePath.joining(FilePath.folder(of: path), ".larder-snapshot-\(UUID().uuidString)")
        defer {
            for suffix in ["", ".ctl"] { try? LocalFileSystem().remove(hidden + suffix) }
        }
        let device = try DeviceStore(path: hidden)
        let (entries, position) = try Self.fill(device, from: engine)
        try device.backup(to: path)
        try device.close()
        let console = Console.current
        if output.format == .json {
            return try console.print(
                JSONWriter.object([
                    ("cluster", JSONWriter.string(engine.name)), ("snapshot", JSONWriter.string(path)),
                    ("entries", String(entries)), ("position", String(position)),
                ])
            )
        }
        try console.print(
            "\(counted(entries, "entry", "entries")) of \(engine.name) \(entries == 1 ? "was" : "were") written to \(path.debugDescription), as of position \(position)."
        )
    }

    private static func fill(_ device: DeviceStore, from engine: any ReplicationEngine) throws -> (Int, UInt64) {
        let store = try ReplicatedStore(unshared: device, engine: engine)
        _ = try BlockedTask.run { try await store.pull() }
        return (try store.count(), try store.confirmed.position?.revision ?? 0)
    }
}
#endif
