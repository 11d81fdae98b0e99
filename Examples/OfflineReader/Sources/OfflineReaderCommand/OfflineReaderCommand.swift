import Foundation
import Larder
import OfflineReader

/// A command-line program for the offline reader, which prints its usage if it is called without arguments.
@main struct OfflineReaderCommand {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 2 else { throw Usage() }
        let (folder, command, rest) = (arguments[0], arguments[1], Array(arguments.dropFirst(2)))
        try FileManager.default.createDirectory(atPath: folder + "/server", withIntermediateDirectories: true)
        let network = Network(folder: folder + "/server", delay: .milliseconds(20))
        let store = try DeviceStore(path: folder + "/device.larder")
        let reader = Reader(network: network, store: store)

        switch (command, rest.count) {
        case ("seed", 0):
            try network.putOnServer(Article(id: "tea", title: "Tea", text: "Leaves in water."))
            try network.putOnServer(Article(id: "jam", title: "Jam", text: "Fruit in sugar."))
        case ("read", 1):
            let stored = try await reader.article(rest[0])
            say("\(stored.value.title): \(stored.value.text) [\(stored.value.note)]")
            say("from \(stored.origin)\(stored.isFallback ? " (the network can't be reached)" : "")")
        case ("note", 2): try await reader.annotate(rest[0], rest[1])
        case ("scribble", 1):
            // Stores notes until the process is killed, and prints the number of each note after it is stored.
            for number in 1...1_000_000 {
                try await reader.annotate(rest[0], "\(number)")
                say("\(number)")
            }
        case ("waiting", 0): for entry in try reader.waiting() { say("\(entry.verb) \(entry.selection)") }
        case ("sync", 0): try await reader.synchronize()
        case ("offline", 0): try network.setOnline(false)
        case ("online", 0): try network.setOnline(true)
        default: throw Usage()
        }
        try await store.close()
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private struct Usage: Error, CustomStringConvertible {
        let description =
            "Usage: OfflineReaderCommand FOLDER seed | read ID | note ID TEXT | scribble ID | waiting | sync | offline | online"
    }
}
