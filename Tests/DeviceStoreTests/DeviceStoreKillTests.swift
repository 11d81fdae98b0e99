import Foundation
import LarderCore
import LarderStores
import LarderTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Real processes on the real file system.
@Suite(.serialized) struct DeviceStoreKillTests {
    @Test(arguments: [(1, 0), (100, 300), (20, 6_000)]) func nothingAcknowledgedIsLostByKilling(
        keys: Int,
        size: Int
    ) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("s.larder")
        for round in 0..<4 {
            let acknowledged = directory.path("acknowledged-\(round)")
            let process = try helper(["write", path, "\(keys)", "\(size)", acknowledged])
            let before = round == 0 ? 0 : try number(in: directory.path("acknowledged-\(round - 1)"))
            try await waitUntil("the first commits") { try number(in: acknowledged) > before + 200 + Int64(round) * 77 }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let store = try withIssueHandler({ _ in }) { try DeviceStore(path: path) }
            let numbers = try (0..<keys).compactMap { try first(store.get("key\($0)")) }
            let last = try #require(numbers.max())
            #expect(try last >= number(in: acknowledged))
            for key in 0..<Int64(keys) {
                #expect(try first(store.get("key\(key)")) == last - (last - key) % Int64(keys))
            }
            #expect(try store.verify().isIntact)
            try await store.close()
        }
    }

    @Test func fourProcessesCountWithoutLosingOne() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("s.larder")
        let processes = try (0..<4).map { _ in try helper(["increment", path, "300"]) }
        for process in processes {
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        let store = try DeviceStore(path: path)
        #expect(try store.get("counter") == .int(1200))
        #expect(try store.verify().isIntact)
    }

    private func first(_ value: StoredValue?) -> Int64? {
        guard case .array(let parts)? = value, case .int(let number)? = parts.first else { return nil }
        return number
    }

    private func number(in path: String) throws -> Int64 {
        guard let data = FileManager.default.contents(atPath: path), data.count == 8 else { return 0 }
        return data.withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
    }

    private func helper(_ arguments: [String]) throws -> Process {
        let process = Process()
        let folders = [
            Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        let built = folders.map { $0.appendingPathComponent("DeviceStoreHelper") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        process.executableURL = built
        process.arguments = arguments
        try process.run()
        return process
    }
}
