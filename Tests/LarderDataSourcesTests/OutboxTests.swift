import Foundation
import LarderCore
import LarderDataSources
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct OutboxTests {
    private struct Offline: Error {}
    private struct Refused: Error {}

    private let store = MemoryStore()
    private let server = InMemoryDataSource<Int>()
    private let main: DataSourceSpy<Int>
    private let time = ManualTimeSource()
    private let key = KeyQuery("k")

    init() { main = DataSourceSpy(server) }

    private func outbox(
        _ sending: OutboxDataSource<Int>.Sending = .everyWrite,
        pause: Duration = .zero
    ) -> OutboxDataSource<Int> {
        OutboxDataSource(
            main: main,
            store: store,
            name: "numbers",
            sending: sending,
            pause: pause,
            time: time,
            isUnreachable: { $0 is Offline }
        )
    }

    private var puts: [Int] { main.calls.filter { $0.verb == "put" }.flatMap(\.values) }

    @Test(arguments: DataSourceCheck.allCases)
    func outboxMeetsContract(check: DataSourceCheck) async throws {
        try await DataSourceContract(values: [1, 2, 3]) {
            OutboxDataSource(main: InMemoryDataSource<Int>(), store: MemoryStore(), name: "o")
        }.run(check)
    }

    @Test func outboxIsEmptyAfterSend() async throws {
        let outbox = outbox()
        #expect(try await outbox.put(1, in: key).value == 1)
        #expect(try await outbox.putAll([1, 2], in: KeyQuery("l")).value == [1, 2])
        try await outbox.delete(IdsQuery(["k", "x"])).value
        #expect(try await server.getAll("l").value == [1, 2])
        #expect(main.calls.map(\.verb) == ["put", "putAll", "delete"])
        #expect(try outbox.pending().isEmpty)
        #expect(try store.entries().isEmpty)
        #expect(store.verify().isIntact)
    }

    // Behavior 112.
    @Test func offlineWritesAreSentInOrderBeforeNextRead() async throws {
        let outbox = outbox()
        main.fail(with: Offline())
        #expect(try await outbox.put(1, in: key).value == 1)
        #expect(try await outbox.put(2, in: key).value == 2)
        #expect(try await outbox.putAll([3], in: KeyQuery("l")).value == [3])
        try await outbox.delete(KeyQuery("gone")).value
        #expect(try outbox.pending().map(\.verb) == [.put, .put, .putAll, .delete])
        #expect(try outbox.pending().map(\.number) == [0, 1, 2, 3])
        main.fail(with: nil)
        let asked = main.calls.count
        #expect(try await outbox.get(key).value == 2)
        #expect(
            main.calls.dropFirst(asked).map(\.description) == ["put k", "put k", "putAll l", "delete gone", "get k"]
        )
        #expect(try outbox.pending().isEmpty)
    }

    // Behavior 112.
    @Test func olderPendingWritesToSameKeyCanBeDropped() async throws {
        let outbox = outbox(.latestOfEachKey)
        main.fail(with: Offline())
        for number in 1...3 { _ = try await outbox.put(number, in: key).value }
        _ = try await outbox.put(9, in: KeyQuery("other")).value
        try await outbox.delete(key).value
        #expect(try outbox.pending().map(\.number) == [3, 4])
        main.fail(with: nil)
        let asked = puts.count
        try await outbox.replay().value
        #expect(Array(puts.dropFirst(asked)) == [9])
        await #expect(throws: CoreError.NotFound.self) { try await server.get(key).value }
    }

    @Test func readNeverReturnsValueOlderThanLastWrite() async throws {
        server.put(1, in: key)
        server.put(5, forId: "other")
        let outbox = outbox()
        main.fail(["put"], with: Offline())
        _ = try await outbox.put(2, in: key).value
        await #expect(throws: Offline.self) { try await outbox.get(key).value }
        await #expect(throws: Offline.self) { try await outbox.getAll(AllObjectsQuery()).value }
        await #expect(throws: Offline.self) { try await outbox.getAll(IdsQuery(["k"])).value }
        #expect(try await outbox.get(KeyQuery("other")).value == 5)
    }

    @Test func pendingWritesCanBeSentByAnotherOutbox() async throws {
        main.fail(with: Offline())
        _ = try await outbox().put(1, in: key).value
        _ = try await outbox().put(2, in: key).value
        main.fail(with: nil)
        let asked = puts.count
        try await outbox().replay().value
        #expect(Array(puts.dropFirst(asked)) == [1, 2])
    }

    @Test func newWriteIsSentAfterPendingWrites() async throws {
        let outbox = outbox()
        main.fail(with: Offline())
        _ = try await outbox.put(1, in: key).value
        main.fail(with: nil)
        #expect(try await outbox.put(2, in: key).value == 2)
        #expect(puts == [1, 1, 2])
        #expect(try await server.get(key).value == 2)
    }

    @Test func rejectedWriteDoesNotBlockNextWrite() async throws {
        let outbox = outbox()
        main.failNext(Refused())
        await #expect(throws: Refused.self) { try await outbox.put(1, in: key).value }
        #expect(try outbox.pending().isEmpty)
        #expect(try outbox.rejected().isEmpty)
        #expect(try await outbox.put(2, in: key).value == 2)
    }

    @Test func rejectedPendingWriteIsKeptAndReported() async throws {
        main.fail(with: Offline())
        let outbox = outbox()
        _ = try await outbox.put(1, in: key).value
        _ = try await self.outbox().put(2, in: key).value
        main.fail(with: nil)
        main.failNext(Refused(), Refused())
        let recorder = Recorder<LarderIssue>()
        try await withIssueHandler({ recorder.add($0) }) { try await outbox.replay().value }
        #expect(recorder.values.map(\.code) == [.writeFailed, .writeFailed])
        #expect(recorder.values.map(\.key) == ["k", "k"])
        #expect(try outbox.rejected().map(\.number) == [0, 1])
        for entry in try outbox.rejected() { try outbox.discard(entry) }
        #expect(try outbox.rejected().isEmpty)
        #expect(try await outbox.put(3, in: key).value == 3)
    }

    @Test func outboxSendsNothingWhilePaused() async throws {
        let outbox = outbox(pause: .seconds(30))
        main.fail(with: Offline())
        _ = try await outbox.put(1, in: key).value
        #expect(main.calls.count == 1)
        _ = try await outbox.put(2, in: key).value
        await #expect(throws: Offline.self) { try await outbox.get(key).value }
        #expect(main.calls.count == 1)
        time.advance(by: .seconds(30))
        main.fail(with: nil)
        #expect(try await outbox.get(key).value == 2)
        main.fail(with: Offline())
        _ = try await outbox.put(3, in: key).value
        main.fail(with: nil)
        try await outbox.replay().value
        #expect(try await server.get(key).value == 3)
    }

    @Test func replayWithoutNetworkKeepsPendingWrites() async throws {
        let outbox = outbox()
        main.fail(with: Offline())
        _ = try await outbox.put(1, in: key).value
        await #expect(throws: Offline.self) { try await outbox.replay().value }
        let entry = try #require(try outbox.pending().first)
        #expect(entry.selection == .key("k"))
        #expect(entry.values == [Data("1".utf8)])
        #expect(entry.writtenAt == time.now)
        try outbox.discard(entry)
        try await outbox.replay().value
        #expect(main.calls.map(\.verb) == ["put", "put"])
    }

    @Test func puttingNilFailsAndAddsNoOutboxEntry() async throws {
        await #expect(throws: CoreError.IllegalArgument.self) { try await outbox().put(nil, in: key).value }
        #expect(try outbox().pending().isEmpty)
    }

    @Test func unencodableValueIsNotAddedToOutbox() async throws {
        let outbox = OutboxDataSource<Double>(main: InMemoryDataSource<Double>(), store: store, name: "d")
        await #expect(throws: CoreError.DataSerialization.self) { try await outbox.put(.nan, in: key).value }
        #expect(try outbox.pending().isEmpty)
    }

    @Test func undecodableOutboxEntryIsRejected() async throws {
        let texts = OutboxDataSource<String>(
            main: VoidDataSource<String>(),
            store: store,
            name: "numbers",
            isUnreachable: { _ in true }
        )
        _ = try await texts.put("x", in: key).value
        let recorder = Recorder<LarderIssue>()
        try await withIssueHandler({ recorder.add($0) }) { try await outbox().replay().value }
        #expect(recorder.values.map(\.code) == [.writeFailed])
        #expect(try outbox().rejected().count == 1)
    }

    @Test func outboxesInSameStoreAreIndependent() async throws {
        main.fail(with: Offline())
        _ = try await outbox().put(1, in: key).value
        let other = OutboxDataSource<Int>(main: server, store: store, name: "other")
        try await other.replay().value
        #expect(try outbox().pending().count == 1)
        await #expect(throws: CoreError.NotFound.self) { try await server.get(key).value }
    }

    @Test func concurrentOutboxWritesAreNotLost() async throws {
        let outbox = outbox()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    if number.isMultiple(of: 10) { main.failNext(Offline()) }
                    let kept = try await outbox.put(number, in: IdQuery(number)).value
                    #expect(kept == number)
                }
            }
            try await group.waitForAll()
        }
        // These replays consume the remaining failures.
        for _ in 0..<11 {
            do { try await outbox.replay().value } catch is Offline { continue }
            break
        }
        #expect(try await server.entries().value.count == 100)
        #expect(try outbox.pending().isEmpty)
    }

    @Test func repositoryReadsValueWrittenOffline() async throws {
        let cache = InMemoryDataSource<Int>()
        let repository = CacheRepository(main: outbox(), cache: cache)
        main.fail(with: Offline())
        #expect(try await repository.put(1, in: key).value == 1)
        #expect(try await repository.get(key, operation: .cacheSync).value == 1)
        main.fail(with: nil)
        #expect(try await repository.get(key, operation: .mainSync).value == 1)
        #expect(try await server.get(key).value == 1)
    }

    /// Kills the helper process several times at random moments.
    ///
    /// Expects that all acknowledged writes arrive at the main source, in order.
    @Test func acknowledgedOutboxWritesSurviveProcessKill() async throws {
        let directory = try TemporaryDirectory()
        let (path, server) = (directory.path("outbox.larder"), directory.path("server"))
        var acknowledged: Int64 = 0
        var mayBeMissing: Set<Int64> = []
        for round in 0..<3 {
            let file = directory.path("acknowledged-\(round)")
            try killHelper([path, server, file], after: acknowledged + 40 + Int64(round) * 17)
            acknowledged = try number(in: file)
            // The helper may have been killed between choosing the next number and putting it.
            mayBeMissing.insert(acknowledged + 1)
        }
        let store = try withIssueHandler({ _ in }) { try DeviceStore(path: path) }
        let left = OutboxDataSource<Int>(main: LineServer(path: server), store: store, name: "numbers")
        try await left.replay().value
        let sent = try String(contentsOfFile: server, encoding: .utf8).split(separator: "\n").compactMap { Int64($0) }
        // Numbers can repeat, because a write is sent again after a kill between its answer and the removal of its entry.
        #expect(zip(sent, sent.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(Set(1...acknowledged).subtracting(sent).isSubset(of: mayBeMissing))
        #expect(sent.count <= Set(sent).count + 3)
        #expect(try left.pending().isEmpty)
        #expect(try store.verify().isIntact)
        try await store.close()
    }

    private func number(in path: String) throws -> Int64 {
        guard let data = FileManager.default.contents(atPath: path), data.count == 8 else { return 0 }
        return data.withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
    }

    /// Starts the helper and kills it after it has acknowledged a number greater than `least`.
    ///
    /// The method is not asynchronous, because the helper would run for minutes if other tests occupied all threads of the task pool.
    private func killHelper(_ arguments: [String], after least: Int64) throws {
        let process = try helper(arguments)
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try blockUntil("the first writes") { try number(in: arguments[2]) > least }
    }

    private func helper(_ arguments: [String]) throws -> Process {
        let process = Process()
        let folders = [
            Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        ]
        // A kill during the write of coverage data would leave a partial file, which SwiftPM can't read.
        process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
        process.executableURL = folders.map { $0.appendingPathComponent("DataSourcesHelper") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        process.arguments = arguments
        HeldProcess.hold(process)
        try process.start()
        return process
    }
}

/// A main source that uses the helper's file and is always reachable.
private struct LineServer: GetDataSource, PutDataSource, DeleteDataSource {
    let path: String

    func get(_ query: any KeyQuery) -> Future<Int> { Future(error: CoreError.NotFound(key: query.key)) }
    func getAll(_ query: any KeyQuery) -> Future<[Int]> { Future(error: CoreError.NotFound(key: query.key)) }
    func putAll(_ values: [Int], in query: any KeyQuery) -> Future<[Int]> { Future(values) }
    func delete(_ query: any KeyQuery) -> Future<Void> { Future(()) }

    func put(_ value: Int?, in query: any KeyQuery) -> Future<Int> {
        Future {
            let value = try #require(value)
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            _ = try file.seekToEnd()
            try file.write(contentsOf: Data("\(value)\n".utf8))
            try file.close()
            return value
        }
    }
}
