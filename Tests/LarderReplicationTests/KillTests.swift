import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Processes that are killed while they write, apply and take over, and a full disk.
///
/// A process that is killed inside a commit leaves it incomplete, which the next opening reports as `damaged`.
@Suite(.expectsIssues(.degraded, .rolledBack, .damaged))
struct KillTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func storedEngineMeetsContract() async throws {
        try await ReplicationEngineContract {
            let store = MemoryStore()
            return { try StoredEngine(store) }
        }.run()
    }

    /// Starts a process that counts up the number under `name`.
    private func helper(_ name: String) throws -> Process {
        let process = Process()
        let folders = [
            Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        // A kill during the write of coverage data would leave a partial file, which SwiftPM can't read.
        process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
        process.executableURL = folders.map { $0.appendingPathComponent("ReplicationHelper") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        process.arguments = [
            folder.path("replica.larder"), folder.path("cluster.larder"), name, folder.path(name),
        ]
        HeldProcess.hold(process)
        try process.start()
        return process
    }

    /// The last number that a process has recorded as committed.
    private func acknowledged(_ name: String) -> Int64 {
        guard let data = FileManager.default.contents(atPath: folder.path(name)), data.count == 8 else { return 0 }
        return data.reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Runs processes, each of which is killed after it has made some progress, and returns the last numbers that they recorded.
    ///
    /// The method is not asynchronous, because the processes would run for long if other tests occupied all threads of the task pool.
    private func runAndKill() throws -> [String: Int64] {
        let names = ["a", "b"]
        var most = ["a": Int64(0), "b": 0]
        var processes: [String: Process] = [:]
        defer {
            for process in processes.values {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }
        }
        for name in names { processes[name] = try helper(name) }
        // Kills the processes in turn, so that the other one has to take over half of the time.
        for round in 0..<6 {
            let name = names[round % 2]
            let before = most[name] ?? 0
            try blockUntil("progress of \(name)") { acknowledged(name) > before + 3 }
            if let process = processes[name] {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }
            most[name] = max(before, acknowledged(name))
            processes[name] = try helper(name)
        }
        for name in names {
            let before = most[name] ?? 0
            try blockUntil("progress of \(name)") { acknowledged(name) > before }
            most[name] = acknowledged(name)
        }
        return most
    }

    @Test func killedProcessesLoseAndRepeatNothing() async throws {
        let most = try await withBlockingWork { try runAndKill() }
        let engine = try StoredEngine(try DeviceStore(path: folder.path("cluster.larder")))
        let store = try ReplicatedStore(replica: DeviceStore(path: folder.path("replica.larder")), engine: engine)
        let running = RunningStore(store)
        try await waitUntil { store.freshness.pending == 0 && store.freshness.position != nil }
        #expect(try store.verify().problems == [])
        #expect(try store.rejected().isEmpty)
        let values = try await numbers(in: engine)
        for (name, least) in most {
            // Each commit expects the former number, so a lost or repeated one would leave a gap.
            let last = Int64(values[name]?.count ?? 0)
            #expect(values[name] == Array(1...max(1, last)))
            #expect(last >= least)
            #expect(try store.get(StoreKey(name)) == .int(last))
        }
        withExtendedLifetime(running) {}
    }

    /// Returns the numbers that were written under each key, in the order of the cluster.
    private func numbers(in engine: StoredEngine) async throws -> [String: [Int64]] {
        var position = try await engine.firstPosition()
        var numbers: [String: [Int64]] = [:]
        while true {
            let limit = ReplicationPageLimit(commits: 1_000, bytes: 1 << 20)
            let page = try await engine.changes(after: position, limit: limit, replica: 0)
            guard case .changes(let changes, _) = page, let last = changes.last else { return numbers }
            for write in changes.flatMap(\.writes) {
                guard let value = write.value, case .int(let number) = try StoredValue(decoding: value) else {
                    continue
                }
                numbers[String(decoding: write.key, as: UTF8.self), default: []].append(number)
            }
            position = last.position
        }
    }
}
