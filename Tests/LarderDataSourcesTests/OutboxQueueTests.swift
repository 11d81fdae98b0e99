import Foundation
import LarderCore
import LarderDataSources
import LarderStores
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

/// Tests the format in which an outbox is stored and the cost of its operations.
@Suite struct OutboxQueueTests {
    private struct Offline: Error {}
    private struct Refused: Error {}

    private let memory = MemoryStore()
    private let store: FailingStore
    private let reads: ReadCounter
    private let main = DataSourceSpy<Int>()
    private let key = KeyQuery("k")

    init() {
        let (store, reads) = (FailingStore(memory), ReadCounter())
        store.failReading { _ in
            reads.note()
            return false
        }
        (self.store, self.reads) = (store, reads)
    }

    /// A counter of the reads from a store.
    private final class ReadCounter: Sendable {
        private let count = Atomic(0)

        func note() { count.add(1, ordering: .relaxed) }

        func take() -> Int { count.exchange(0, ordering: .relaxed) }
    }

    private func outbox(_ sending: OutboxDataSource<Int>.Sending = .everyWrite) -> OutboxDataSource<Int> {
        OutboxDataSource(
            main: main,
            store: store,
            name: "numbers",
            sending: sending,
            // The outbox sends nothing during this pause.
            pause: .seconds(1_000_000),
            time: ManualTimeSource(),
            isUnreachable: { $0 is Offline }
        )
    }

    /// Creates an outbox whose main source is unreachable, so that all writes stay in the outbox.
    private func offline(_ sending: OutboxDataSource<Int>.Sending = .everyWrite) async throws -> OutboxDataSource<Int> {
        main.fail(with: Offline())
        let outbox = outbox(sending)
        _ = try await outbox.put(0, in: KeyQuery("first")).value
        return outbox
    }

    // MARK: - Cost

    @Test func discardedOutboxEntryDoesNotSlowDownLaterPuts() async throws {
        let outbox = try await offline()
        _ = try await outbox.put(1, in: key).value
        _ = try await outbox.put(2, in: key).value
        try outbox.discard(try outbox.pending()[1])
        main.fail(with: nil)
        try await outbox.replay().value
        _ = reads.take()
        _ = try await outbox.put(3, in: key).value
        let few = reads.take()
        for number in 0..<200 { _ = try await outbox.put(number, in: key).value }
        _ = reads.take()
        _ = try await outbox.put(4, in: key).value
        #expect(reads.take() <= few + 4)
        #expect(try outbox.pending().isEmpty)
        #expect(memory.verify().isIntact)
    }

    @Test func repeatedOfflinePutToSameKeyHasConstantCost() async throws {
        let outbox = try await offline(.latestOfEachKey)
        for number in 0..<3 { _ = try await outbox.put(number, in: key).value }
        _ = reads.take()
        _ = try await outbox.put(3, in: key).value
        let few = reads.take()
        for number in 0..<200 { _ = try await outbox.put(number, in: key).value }
        _ = reads.take()
        _ = try await outbox.put(4, in: key).value
        #expect(reads.take() <= few + 4)
        #expect(try outbox.pending().map(\.number) == [0, 205])
        #expect(memory.verify().isIntact)
    }

    @Test func putCostDoesNotGrowWithRejectedWrites() async throws {
        main.fail(with: Offline())
        for _ in 0..<60 { _ = try await outbox().put(1, in: key).value }
        main.fail(["put"], with: Refused())
        try await withIssueHandler({ _ in }) { try await outbox().replay().value }
        main.fail(with: nil)
        let last = outbox()
        #expect(try last.rejected().count == 60)
        _ = reads.take()
        _ = try await last.put(2, in: key).value
        #expect(reads.take() < 60)
    }

    @Test func rebuildingOutboxIndexSkipsEntriesSentLongAgo() async throws {
        main.fail(with: Offline())
        // This is the state after 999,999 writes were sent.
        try memory.set(
            .array([.int(2), .int(999_999), .null, .null, .null, .null, .int(0)]),
            for: reserved("state")
        )
        let outbox = outbox()
        for number in 0..<5 { _ = try await outbox.put(number, in: key).value }
        for entry in try outbox.pending().prefix(2) { try outbox.discard(entry) }
        try memory.remove(reserved("entry:1000002"))
        _ = reads.take()
        #expect(try outbox.pending().map(\.number) == [1_000_001, 1_000_003])
        #expect(reads.take() < 3_000)
        #expect(memory.verify().isIntact)
    }

    @Test func rebuildingOldOutboxIndexChecksEveryEntryNumber() async throws {
        let outbox = try await offline()
        for number in 1..<1_100 { _ = try await outbox.put(number, in: key).value }
        for entry in try outbox.pending().prefix(1_050) where entry.number % 500 != 7 { try outbox.discard(entry) }
        // An earlier version did not record the lowest number.
        try memory.remove(reserved("lowest"))
        try memory.remove(reserved("entry:1007"))
        #expect(try outbox.pending().map(\.number) == [7, 507] + (1_050..<1_100).map { Int64($0) })
        #expect(memory.verify().isIntact)
    }

    @Test func rejectedWritesSurviveRebuildingOutboxIndex() async throws {
        main.fail(with: Offline())
        for number in 0..<4 { _ = try await outbox().put(number, in: key).value }
        main.fail(["put"], with: Refused())
        try await withIssueHandler({ _ in }) { try await outbox().replay().value }
        main.fail(with: nil)
        let last = outbox()
        for number in 0..<1_200 { _ = try await last.put(number, in: key).value }
        try memory.remove(reserved("entry:2"))
        #expect(try last.rejected().map(\.number) == [0, 1, 3])
        #expect(try last.pending().isEmpty)
        #expect(memory.verify().isIntact)
    }

    // MARK: - Formats

    private func reserved(_ part: String) -> StoreKey { StoreKey(reserved: ".outbox:7:numbers:\(part)") }

    private func version1Entry(_ number: Int64, key: String) throws {
        let entry = StoredValue.array([
            .string("put"), .string(key), .array([.data(Data("\(number)".utf8))]),
            .date(Date(timeIntervalSinceReferenceDate: 0)), .string("session"),
        ])
        try memory.set(entry, for: reserved("entry:\(number)"))
    }

    @Test func outboxInVersion1FormatCanBeRead() async throws {
        for number in [2, 3, 6, 7, 9] as [Int64] { try version1Entry(number, key: number == 9 ? "other" : "k") }
        let state = StoredValue.array([.int(1), .int(3), .int(10), .array([.int(2), .int(5)])])
        try memory.set(state, for: reserved("state"))
        let outbox = outbox(.latestOfEachKey)
        #expect(try outbox.pending().map(\.number) == [3, 6, 7, 9])
        #expect(try outbox.rejected().map(\.number) == [2])
        main.fail(with: Offline())
        _ = try await outbox.put(10, in: key).value
        #expect(try outbox.pending().map(\.number) == [9, 10])
        main.fail(with: nil)
        try await outbox.replay().value
        #expect(main.calls.suffix(2).map(\.description) == ["put other", "put k"])
        try outbox.discard(try #require(try outbox.rejected().first))
        #expect(try outbox.rejected().isEmpty)
        #expect(memory.verify().isIntact)
    }

    @Test func outboxStateInNewerFormatIsRejectedAndLeftUnchanged() async throws {
        let state = StoredValue.array([.int(3), .int(0)])
        try memory.set(state, for: reserved("state"))
        let outbox = outbox()
        #expect(throws: CoreError.DataSerialization.self) { try outbox.pending() }
        await #expect(throws: CoreError.DataSerialization.self) { try await outbox.put(1, in: key).value }
        #expect(try memory.get(reserved("state")) == state)
    }

    @Test func outboxSkipsEntryDroppedByRepair() async throws {
        let outbox = try await offline()
        for number in 1...4 { _ = try await outbox.put(number, in: key).value }
        try outbox.discard(try outbox.pending()[3])
        try memory.remove(reserved("entry:0"))
        try memory.remove(reserved("entry:2"))
        #expect(try outbox.pending().map(\.number) == [1, 4])
        main.fail(with: nil)
        try await outbox.replay().value
        #expect(main.calls.suffix(2).map(\.values) == [[1], [4]])
        #expect(try outbox.pending().isEmpty)
    }

    @Test func emptyOutboxStoresOnlyState() async throws {
        let outbox = try await offline(.latestOfEachKey)
        for number in 0..<20 { _ = try await outbox.put(number, forId: number % 3).value }
        for entry in try outbox.pending().suffix(2) { try outbox.discard(entry) }
        main.fail(with: nil)
        try await outbox.replay().value
        for part in ["entry", "link", "key:name"] {
            for number in 0..<30 { #expect(try memory.get(reserved("\(part):\(number)")) == nil) }
        }
        #expect(try memory.get(reserved("key:name:first")) == nil)
    }

    // MARK: - Random operations

    /// The expected content of an outbox.
    private struct Model {
        var waiting: [(number: Int64, key: String?)] = []
        var rejected: [Int64] = []
        var next: Int64 = 0

        mutating func append(_ key: String?, isLatest: Bool) {
            if isLatest, let key { waiting.removeAll { $0.key == key } }
            waiting.append((next, key))
            next += 1
        }
    }

    /// A main source that accepts or rejects a given number of writes, and is unreachable afterwards.
    private final class Scripted: GetDataSource, PutDataSource, DeleteDataSource {
        private let answers = Mutex<[Bool]>([])

        func answer(_ refusals: [Bool]) { answers.withLock { $0 = refusals } }

        private func write<Value>(_ value: Value) -> Future<Value> {
            let isRefused: Bool? = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let isRefused else { return Future(error: Offline()) }
            return isRefused ? Future(error: Refused()) : Future(value)
        }

        func get(_ query: any StoreQuery) -> Future<Int> { Future(error: Offline()) }
        func getAll(_ query: any StoreQuery) -> Future<[Int]> { Future(error: Offline()) }
        func put(_ value: Int?, in query: any StoreQuery) -> Future<Int> { write(value ?? 0) }
        func putAll(_ values: [Int], in query: any StoreQuery) -> Future<[Int]> { write(values) }
        func delete(_ query: any StoreQuery) -> Future<Void> { write(()) }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func outboxAgreesWithModelAfterRandomOperations(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var model = Model()
        let scripted = Scripted()
        for _ in 0..<150 {
            // A new object each time, so no caller waits for writes of earlier objects.
            let isLatest = seed % 3 == 0 ? true : seed % 3 == 1 ? false : Bool.random(using: &random)
            let outbox = OutboxDataSource<Int>(
                main: scripted,
                store: memory,
                name: "numbers",
                sending: isLatest ? .latestOfEachKey : .everyWrite,
                isUnreachable: { $0 is Offline }
            )
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let key = "k\(Int.random(in: 0..<4, using: &random))"
                _ = try await outbox.put(1, in: KeyQuery(key)).value
                model.append(key, isLatest: isLatest)
            case 5:
                try await outbox.delete(IdsQuery(["k0", "k1"])).value
                model.append(nil, isLatest: isLatest)
            case 6, 7:
                guard let entry = try outbox.pending().randomElement(using: &random) else { continue }
                try outbox.discard(entry)
                model.waiting.removeAll { $0.number == entry.number }
            case 8:
                let count = Int.random(in: 0...model.waiting.count, using: &random)
                let refusals = (0..<count).map { _ in Bool.random(using: &random) }
                scripted.answer(refusals)
                await withIssueHandler({ _ in }) { _ = try? await outbox.replay().value }
                for isRefused in refusals {
                    let sent = model.waiting.removeFirst()
                    if isRefused { model.rejected.append(sent.number) }
                }
            default:
                guard let entry = try outbox.rejected().randomElement(using: &random) else { continue }
                try outbox.discard(entry)
                model.rejected.removeAll { $0 == entry.number }
            }
            #expect(try outbox.pending().map(\.number) == model.waiting.map(\.number))
            #expect(try outbox.rejected().map(\.number) == model.rejected)
        }
        #expect(memory.verify().isIntact)
    }
}
