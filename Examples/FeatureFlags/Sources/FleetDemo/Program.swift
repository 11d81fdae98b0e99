import Foundation
import Synchronization

/// Starts PostgreSQL with a synchronous standby and three instances of the service, goes through faults, and checks that all replicas agree.
@main struct Program {
    static func main() {
        let terminal = Terminal()
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "larder-fleet-\(UUID().uuidString.prefix(8))"
        )
        let processes = ProcessList()
        // An interrupted demo ends what it has started, too.
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                isInterrupted.store(true, ordering: .releasing)
                cleanUp(processes, folder)
                exit(130)
            }
            source.resume()
            interruptions.append(source)
        }
        signal(SIGPIPE, SIG_IGN)
        var status: Int32 = 1
        do {
            let fleet = try Fleet(in: folder, processes, terminal)
            try fleet.run()
            status = 0
        } catch {
            // The scene fails because its processes were killed. The handler of the signal ends the program.
            while isInterrupted.load(ordering: .acquiring) { usleep(100_000) }
            terminal.fail("\(error)")
            terminal.showLogs(in: folder)
        }
        cleanUp(processes, folder)
        exit(status)
    }

    private static func cleanUp(_ processes: ProcessList, _ folder: URL) {
        processes.killAll()
        // A process that is being killed may still create a file.
        for _ in 0..<50 where FileManager.default.fileExists(atPath: folder.path) {
            try? FileManager.default.removeItem(at: folder)
            usleep(20_000)
        }
    }

    private static let isInterrupted = Atomic(false)
    nonisolated(unsafe) private static var interruptions: [any DispatchSourceSignal] = []
}

/// A failure of the demo, with what to do.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
