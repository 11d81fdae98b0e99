import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStore
import LarderTestSupport
import Testing

private struct Keys: DefaultsKeyStore {
    var count: DefaultsKey<Int> { .init("count", defaultValue: 0) }
    var losses: DefaultsKey<Int> { .init("losses", defaultValue: 0) }
}

/// Tests concurrent changes that two processes make to one number.
struct ProcessTests {
    private static let times = 500

    /// Runs two processes that each repeatedly add 1, and returns the final count and the number of reported lost updates.
    private func count(by way: String) throws -> (count: Int, losses: Int) {
        let folder = try TemporaryDirectory()
        let path = folder.path("s.larder")
        let folders = [
            Bundle.main.bundleURL, URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        let program = folders.map { $0.appending(path: "DefaultsHelper") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        let processes = try (0..<2).map { _ in
            let process = Process()
            process.executableURL = program
            process.arguments = [path, way, "\(Self.times)"]
            HeldProcess.hold(process)
            try process.start()
            return process
        }
        for process in processes {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        let store = try DeviceStore(path: path)
        let adapter = DefaultsAdapter(store: store, keyStore: Keys())
        #expect(try store.verify().isIntact)
        return (adapter.count, adapter.losses)
    }

    @Test func concurrentIncrementsByTwoProcessesAreAllCounted() throws {
        #expect(try count(by: "increment") == (2 * Self.times, 0))
    }

    @Test func concurrentModifyCallsByTwoProcessesAreAllCounted() throws {
        #expect(try count(by: "modify") == (2 * Self.times, 0))
    }

    @Test func lostUpdatesBetweenTwoProcessesAreReported() throws {
        let (count, losses) = try count(by: "+=")
        #expect(count + losses == 2 * Self.times)
    }
}
