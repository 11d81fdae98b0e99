import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

/// Tests that only one of several objects that share an outbox sends at a time.
///
/// The objects represent several processes.
@Suite struct OutboxSendingTests {
    private struct Offline: Error {}
    private struct Refused: Error {}

    private let store = MemoryStore()
    private let server = SlowServer()
    private let key = KeyQuery("k")

    private func outbox(_ time: ManualTimeSource) -> OutboxDataSource<Int> {
        OutboxDataSource(
            main: server,
            store: store,
            name: "numbers",
            lease: .seconds(5),
            time: time,
            isUnreachable: { $0 is Offline }
        )
    }

    /// Advances `time` repeatedly until a condition is met.
    private func advance(_ time: ManualTimeSource, until body: @escaping @Sendable () -> Bool) async throws {
        try await waitUntil {
            if body() { return true }
            time.advance(by: .milliseconds(100))
            return body()
        }
    }

    @Test func concurrentOutboxesSendEachWriteOnce() async throws {
        let time = ManualTimeSource()
        let (one, other) = (outbox(time), outbox(time))
        let first = one.put(1, in: key)
        try await waitUntil { server.puts == [1] }
        let second = other.put(2, in: key)
        // One sleeper renews the first object's lease. The other one is the second object, which waits for the lease.
        await time.waitForSleepers(2)
        #expect(server.puts == [1])
        server.answer()
        try await waitUntil { server.puts == [1, 2] }
        server.answer()
        #expect(try await first.value == 1)
        try await advance(time) { second.isSettled }
        #expect(try await second.value == 2)
        #expect(server.puts == [1, 2])
        #expect(try one.pending().isEmpty)
    }

    @Test func leaseIsRenewedWhileSending() async throws {
        let time = ManualTimeSource()
        let (one, other) = (outbox(time), outbox(time))
        let first = one.put(1, in: key)
        try await waitUntil { server.puts == [1] }
        let replayed = other.replay()
        for _ in 0..<40 {
            await time.waitForSleepers(2)
            time.advance(by: .milliseconds(500))
        }
        await time.waitForSleepers(2)
        #expect(server.puts == [1])
        server.answer()
        #expect(try await first.value == 1)
        try await advance(time) { replayed.isSettled }
        try await replayed.value
        #expect(server.puts == [1])
    }

    @Test func leaseOfSuspendedSenderExpires() async throws {
        // The clock of a suspended process stands still.
        let (stopped, time) = (ManualTimeSource(), ManualTimeSource())
        let first = outbox(stopped).put(1, in: key)
        try await waitUntil { server.puts == [1] }
        let replayed = outbox(time).replay()
        for _ in 0..<49 {
            await time.waitForSleepers()
            time.advance(by: .milliseconds(100))
        }
        await time.waitForSleepers()
        #expect(server.puts == [1])
        // The write is sent again, because it is unknown whether the first call reached the server.
        try await advance(time) { server.puts == [1, 1] }
        server.answer()
        server.answer()
        try await replayed.value
        #expect(try await first.value == 1)
        #expect(try outbox(time).pending().isEmpty)
    }

    @Test func leaseWithFutureStartIsTreatedAsExpired() async throws {
        let (ahead, time) = (ManualTimeSource(now: Date(timeIntervalSinceReferenceDate: 3_600)), ManualTimeSource())
        let first = outbox(ahead).put(1, in: key)
        try await waitUntil { server.puts == [1] }
        let replayed = outbox(time).replay()
        try await waitUntil { server.puts == [1, 1] }
        server.answer()
        server.answer()
        try await replayed.value
        #expect(try await first.value == 1)
    }

    @Test(.expectsIssues(.writeFailed)) func putFailsIfRejectedWhenSentByAnotherOutbox() async throws {
        let time = ManualTimeSource()
        let (one, other) = (outbox(time), outbox(time))
        let first = one.put(1, in: key)
        try await waitUntil { server.puts == [1] }
        let recorder = Recorder<LarderIssue>()
        let second = withIssueHandler({ recorder.add($0) }) { other.put(2, in: key) }
        await time.waitForSleepers(2)
        server.answer()
        try await waitUntil { server.puts == [1, 2] }
        server.answer(Refused())
        #expect(try await first.value == 1)
        try await advance(time) { second.isSettled }
        await #expect(throws: CoreError.Failed.self) { try await second.value }
        #expect(try one.rejected().map(\.number) == [1])
    }

    @Test func senderReleasesLeaseWhenMainSourceIsUnreachable() async throws {
        let time = ManualTimeSource()
        let first = outbox(time).put(1, in: key)
        try await waitUntil { server.puts == [1] }
        server.answer(Offline())
        #expect(try await first.value == 1)
        let replayed = outbox(time).replay()
        try await waitUntil { server.puts == [1, 1] }
        server.answer()
        try await replayed.value
    }

    // MARK: - Beyond the verbs

    @Test func updateBypassesOutbox() async throws {
        let memory = InMemoryDataSource<Int>()
        let main = DataSourceSpy(memory)
        let outbox = OutboxDataSource(main: AnyDataSource(memory), store: store, name: "n")
        _ = try await outbox.put(1, in: key).value
        #expect(try await outbox.update(key) { $0 = ($0 ?? 0) + 1 }.value == 2)
        #expect(try await memory.get(key).value == 2)
        let without = OutboxDataSource(main: main, store: store, name: "w")
        await #expect(throws: CoreError.NotImplemented.self) { try await without.update(key) { $0 = 3 }.value }
        await #expect(throws: CoreError.NotImplemented.self) { try await without.entries().value }
        #expect(throws: CoreError.NotImplemented.self) { try without.changes(for: key) }
        #expect(try without.pending().isEmpty)
    }

    @Test func updateOfKeyWithPendingWriteFails() async throws {
        let main = DataSourceSpy<Int>()
        main.fail(with: Offline())
        let outbox = OutboxDataSource(main: main, store: store, name: "n", isUnreachable: { $0 is Offline })
        _ = try await outbox.put(1, in: key).value
        await #expect(throws: Offline.self) { try await outbox.update(key) { $0 = 3 }.value }
        await #expect(throws: Offline.self) { try await outbox.entries().value }
        #expect(try outbox.pending().map(\.number) == [0])
    }
}

/// A main source whose puts stay pending until a test answers them, in order.
private final class SlowServer: GetDataSource, PutDataSource, DeleteDataSource {
    private struct State {
        var puts: [Int] = []
        var waiting: [(value: Int, resolver: FutureResolver<Int>)] = []
    }

    private let state = Mutex(State())

    var puts: [Int] { state.withLock(\.puts) }

    /// Settles the oldest pending put with its value, or with `error`.
    func answer(_ error: (any Error)? = nil) {
        let (value, resolver) = state.withLock { $0.waiting.removeFirst() }
        if let error { resolver.set(error) } else { resolver.set(value) }
    }

    func get(_ query: any KeyQuery) -> Future<Int> { Future(error: CoreError.NotFound(key: query.key)) }
    func getAll(_ query: any KeyQuery) -> Future<[Int]> { Future(error: CoreError.NotFound(key: query.key)) }
    func putAll(_ values: [Int], in query: any KeyQuery) -> Future<[Int]> { Future(values) }
    func delete(_ query: any KeyQuery) -> Future<Void> { Future(()) }

    func put(_ value: Int?, in query: any KeyQuery) -> Future<Int> {
        let (future, resolver) = Future<Int>.pending()
        state.withLock { state in
            state.puts.append(value ?? 0)
            state.waiting.append((value ?? 0, resolver))
        }
        return future
    }
}
