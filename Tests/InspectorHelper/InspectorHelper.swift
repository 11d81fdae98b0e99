#if Inspector
import Foundation
import LarderInspector

/// The program `InspectorHelper FOLDER`, which browser tests inspect while it runs.
///
/// It shows what `larder inspect` does not find in files: typed keys, data sources, an outbox and replication. The program prints the address
/// of the page. Then it executes the commands in its standard input, one in each line, and confirms each by printing it. It ends when the
/// input is closed.
@main struct InspectorHelper {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { exit(2) }
        let program = try InspectedProgram(folder: CommandLine.arguments[1])
        try await program.prepare()
        var options = InspectorOptions()
        options.title = "A running program"
        options.onListening = { say($0) }
        let inspector = try Inspector(
            stores: [program.store, program.replica],
            objects: program.inspected,
            options: options
        )
        let (commands, input) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { input.yield(line) }
            input.finish()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await inspector.run() }
            for await command in commands {
                try await program.execute(command.split(separator: " ").map(String.init))
                say(command)
            }
            group.cancelAll()
            try await group.waitForAll()
        }
        exit(0)
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
#else
/// Without the inspector there is nothing to do.
@main struct InspectorHelper {
    static func main() {}
}
#endif
