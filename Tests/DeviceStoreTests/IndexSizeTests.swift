import LarderCore
import LarderTestSupport
import Testing

@testable import LarderStores

/// What an index takes once many keys have come and gone.
@Suite struct IndexSizeTests {
    /// Longer than an entry holds, and of all lengths.
    private static func longKey(_ number: Int) -> String {
        "session/\(number)/" + String(repeating: "k", count: 25 + number * 7919 % 96)
    }

    private static func replace(_ old: Range<Int>, with new: Range<Int>, in store: DeviceStore) throws {
        var batch = StoreBatch()
        for number in old { batch.remove(StoreKey(longKey(number))) }
        for number in new { batch.set(.int(Int64(number)), for: StoreKey(longKey(number))) }
        _ = try store.commit(batch)
    }

    private let directory: TemporaryDirectory
    private let path: String
    private var options = DeviceStoreOptions()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("s.larder")
        options.environment.isShared = false
        options.environment.isAutomatic = false
    }

    // MARK: Long keys

    /// Replaces some of 500 keys round after round, and says what the index of `store` takes after the fifth part of them, and at the end.
    private static func churn(
        _ writer: DeviceStore,
        rounds: Int,
        step: Int,
        measuring store: DeviceStore,
        afterEach: () throws -> Void = {}
    ) throws -> (early: Int, late: Int) {
        let count = 500
        try replace(0..<0, with: 0..<count, in: writer)
        var early = 0
        for round in 0..<rounds {
            let start = round * step
            try replace(start..<start + step, with: start + count..<start + count + step, in: writer)
            try afterEach()
            if round == rounds / 5 { early = store.engine.indexMemory.byteCount }
        }
        return (early, store.engine.indexMemory.byteCount)
    }

    @Test func longKeysThatComeAndGoTakeNoMoreMemoryThanAtFirst() throws {
        let store = try DeviceStore(path: path, options: options)
        let (early, late) = try Self.churn(store, rounds: 200, step: 100, measuring: store)
        #expect(late <= early + early / 4)
        #expect(try store.verify().isIntact)
    }

    @Test func whoeverFollowsCompactionsOfLongKeysTakesNoMoreMemoryThanAtFirst() throws {
        let writer = try DeviceStore(path: path, options: options)
        let follower = try DeviceStore(path: path, options: options)
        let (early, late) = try Self.churn(writer, rounds: 30, step: 37, measuring: follower) {
            try writer.compact()
            _ = try follower.count()
        }
        #expect(late <= early + early / 4)
        #expect(try follower.keys() == writer.keys())
        #expect(try writer.verify().isIntact)
    }

    /// Packing goes through the whole table.
    @Test func fewKeysThatWereGivenUpAreNotPackedInALargeTable() {
        let memory = IndexMemory()
        var keys = KeyBytes()
        let key = [UInt8](repeating: 0x6B, count: 32)
        for _ in 0..<1_000 {
            key.withUnsafeBytes { _ = keys.copy(KeyWords($0), memory) }
            keys.giveUp(key.count)
        }
        let decisions = [1 << 10, 1 << 20].map { keys.wantsPacking(beside: $0) }
        keys.forEachBlock { memory.free($0, $1, for: .keys) }
        #expect(decisions == [true, false])
    }

    // MARK: The table

    private static let manyKeys = 20_000

    /// A store that held many keys and has every 200th of them.
    private func storeOfFewKeys() throws -> DeviceStore {
        let store = try DeviceStore(path: path, options: options)
        var batch = StoreBatch()
        for number in 0..<Self.manyKeys { batch.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        _ = try store.commit(batch)
        batch = StoreBatch()
        for number in 0..<Self.manyKeys where number % 200 != 0 { batch.remove(StoreKey("key\(number)")) }
        _ = try store.commit(batch)
        return store
    }

    private func slots(_ store: DeviceStore) -> Int { store.engine.memory.withLock { $0.index.table.mask + 1 } }

    @Test func aStoreThatHeldManyKeysGoesThroughFewSlots() throws {
        let store = try storeOfFewKeys()
        #expect(slots(store) <= 2048)
        #expect(try store.verify().isIntact)
    }

    @Test func whatIsLeftIsFoundInTheSmallerTable() throws {
        let store = try storeOfFewKeys()
        for number in 0..<Self.manyKeys {
            let expected: StoredValue? = if number % 200 == 0 { .int(Int64(number)) } else { nil }
            let found = try store.get("key\(number)")
            if found != expected { Issue.record("\(String(describing: found)) for \(number)") }
        }
        #expect(try store.verify().isIntact)
    }

    @Test func keysThatComeBackAfterwardsAreFound() throws {
        let store = try storeOfFewKeys()
        for number in 0..<4_000 { try store.set(.int(Int64(-number)), for: "key\(number)") }
        let wrong = try (0..<4_000).filter { try store.get("key\($0)") != .int(Int64(-$0)) }
        #expect(wrong == [])
        #expect(try store.verify().isIntact)
    }

    /// How many there will be is guessed by the first commit.
    @Test func aStoreThatSeemedToHoldManyKeysWhenItWasOpenedGoesThroughFewSlots() throws {
        let first = try DeviceStore(path: path, options: options)
        var batch = StoreBatch()
        for number in 0..<10 { batch.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        _ = try first.commit(batch)
        for number in 0..<100 { try first.set(.string(String(repeating: "v", count: 10_000)), for: "text\(number)") }
        try first.close()
        let store = try DeviceStore(path: path, options: options)
        #expect(slots(store) <= 2048)
        #expect(try store.verify().isIntact)
    }
}
