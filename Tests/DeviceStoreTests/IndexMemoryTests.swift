import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Synchronization
import Testing

/// Tests of memory that an index returns while lock-free readers may still read it.
///
/// See decision 0008. The tests use a type of the engine directly, because a premature free is visible through a store only for
/// nanoseconds. Here, the test controls the order, and AddressSanitizer (`make sanitize`) reports each access to freed memory.
@Suite struct IndexMemoryTests {
    typealias Use = IndexMemory.Use

    /// Small and large sizes of the blocks that an index uses.
    static let counts = [16, 520, 2048]

    let memory = IndexMemory()

    private func taken(_ count: Int, for use: Use) -> IndexWords {
        let words = memory.take(count, for: use)
        fill(words, count)
        return words
    }

    private func fill(_ words: IndexWords, _ count: Int) {
        for index in 0..<count { words[index] = UInt64(index) ^ 0x5A5A_5A5A_5A5A_5A5A }
    }

    /// Returns whether the memory still has the content from ``fill(_:_:)`` after the process has made other allocations.
    ///
    /// AddressSanitizer also reports a premature free.
    private func isLeftAlone(_ words: IndexWords, _ count: Int) -> Bool {
        let others = (0..<64).map { _ in
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count * 8, alignment: 64)
            bytes.initializeMemory(as: UInt8.self, repeating: 0xFF)
            return bytes
        }
        defer { for bytes in others { bytes.deallocate() } }
        return (0..<count).allSatisfy { words[$0] == UInt64($0) ^ 0x5A5A_5A5A_5A5A_5A5A }
    }

    // MARK: Never freed

    @Test(arguments: Use.allCases, counts)
    func recycledIndexMemoryKeepsContentUntilReused(use: Use, count: Int) {
        let words = taken(count, for: use)
        memory.giveBack(words, count, for: use)
        #expect(isLeftAlone(words, count))
    }

    /// Lets a later index that no reader sees return the block while a reader of an earlier index may still read it.
    @Test(arguments: Use.allCases, counts)
    func indexMemoryVisibleToLockFreeReadersIsNotFreed(use: Use, count: Int) {
        let words = taken(count, for: use)
        memory.giveBack(words, count, for: use)
        let again = taken(count, for: use)
        #expect(again == words)
        memory.free(again, count, for: use)
        #expect(isLeftAlone(words, count))
        #expect(memory.take(count, for: use) == words)
    }

    // MARK: Never used for anything else

    @Test(arguments: Use.allCases, counts)
    func recycledIndexMemoryIsReusedOnlyForSamePurposeAndSize(use: Use, count: Int) {
        let words = taken(count, for: use)
        memory.giveBack(words, count, for: use)
        let otherUses = Use.allCases.filter { $0 != use }.map { memory.take(count, for: $0) }
        let otherSizes = [count - 1, count + 1, count * 2].map { memory.take($0, for: use) }
        #expect(!otherUses.contains(words))
        #expect(!otherSizes.contains(words))
        #expect(isLeftAlone(words, count))
        let again = memory.take(count, for: use)
        #expect(again == words)
        #expect((0..<count).allSatisfy { again[$0] == 0 })
    }

    // MARK: With concurrent readers

    /// Makes an index return memory of every kind while threads read it through the writer's engine and through an engine that follows.
    ///
    /// AddressSanitizer detects premature frees.
    @Test func lockFreeReadersCanReadRecycledIndexMemory() throws {
        let directory = try TemporaryDirectory()
        var options = DeviceStoreOptions()
        options.environment.isShared = false
        for round in 0..<Self.rounds {
            let path = directory.path("\(round).larder")
            let writer = try DeviceStore(path: path, options: options)
            let follower = try DeviceStore(path: path, options: options)
            let isDone = Atomic(false)
            let complaints = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                do {
                    if thread == 0 {
                        defer { isDone.store(true, ordering: .releasing) }
                        try Self.growAndShrink(writer)
                    } else {
                        repeat {
                            try Self.read(writer)
                            try Self.read(follower)
                        } while !isDone.load(ordering: .acquiring)
                    }
                } catch {
                    complaints.withLock { $0.append("\(error)") }
                }
            }
            #expect(complaints.withLock(\.self) == [])
            #expect(try follower.keys() == writer.keys())
            #expect(try writer.verify().isIntact)
        }
    }

    private static let rounds = 8
    private static let keys = 1_200

    private static func key(_ number: Int) -> String {
        number % 3 == 0 ? "a key that is too long for its entry, number \(number)" : "key\(number)"
    }

    /// Grows the table and the directory, moves keys, and replaces the index of the engine that follows the writer.
    private static func growAndShrink(_ store: DeviceStore) throws {
        for number in 0..<keys { try store.set(.int(Int64(number)), for: key(number)) }
        try store.compact()
        for number in 0..<keys where number % 10 != 0 { try store.remove(StoreKey(key(number))) }
        try store.compact()
        for number in 0..<keys { try store.set(.int(Int64(number)), for: key(number)) }
    }

    private static func read(_ store: DeviceStore) throws {
        for number in stride(from: 0, to: keys, by: 7) {
            guard let found = try store.get(key(number)) else { continue }
            guard found == .int(Int64(number)) else { throw Wrong(what: "\(found) for \(number)") }
        }
    }

    private struct Wrong: Error { var what: String }
}
