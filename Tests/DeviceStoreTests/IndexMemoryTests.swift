import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Synchronization
import Testing

/// Readers without a lock may still be looking at what an index gives up: see "0008 Reads look without a lock".
@Suite struct IndexMemoryTests {
    typealias Use = IndexMemory.Use

    /// What an index takes at once, small and large.
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

    /// Whether everything is as ``fill(_:_:)`` left it, whatever the process has done with memory of its own meanwhile.
    ///
    /// AddressSanitizer sees it by itself when it is not.
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
    func whatIsGivenBackStaysAsItWas(use: Use, count: Int) {
        let words = taken(count, for: use)
        memory.giveBack(words, count, for: use)
        #expect(isLeftAlone(words, count))
    }

    /// The next index, which no reader sees yet, gives it up while a reader may still be looking from before.
    @Test(arguments: Use.allCases, counts)
    func whatWasSeenOnceIsNotFreedByAnIndexThatNobodySees(use: Use, count: Int) {
        let words = taken(count, for: use)
        memory.giveBack(words, count, for: use)
        let again = taken(count, for: use)
        #expect(again == words)
        memory.free(again, count, for: use)
        #expect(isLeftAlone(words, count))
        #expect(memory.take(count, for: use) == words)
    }

    @Test func chunksThatWereCutFromALargerPieceAreNeverFreed() {
        let count = 2048
        // The last of them for sure.
        let chunks = (0..<1100).map { _ in memory.takeChunk(count) }
        #expect(Set(chunks).count == chunks.count)
        let given = Array(chunks.suffix(40))
        for chunk in given {
            fill(chunk, count)
            memory.free(chunk, count, for: .chunk)
        }
        #expect(given.allSatisfy { isLeftAlone($0, count) })
        #expect(Set((0..<40).map { _ in memory.takeChunk(count) }) == Set(given))
    }

    // MARK: Never used for anything else

    @Test(arguments: Use.allCases, counts)
    func whatIsGivenBackIsUsedAgainForTheSameOnly(use: Use, count: Int) {
        let words = taken(count, for: use)
        memory.giveBack(words, count, for: use)
        let otherUses = Use.allCases.filter { $0 != use }.map { memory.take(count, for: $0) }
        let otherSizes = [count - 1, count + 1, count * 2].map { memory.take($0, for: use) }
        #expect(!otherUses.contains(words))
        #expect(!otherSizes.contains(words))
        if use != .chunk { #expect(memory.takeChunk(count) != words) }
        #expect(isLeftAlone(words, count))
        let again = use == .chunk ? memory.takeChunk(count) : memory.take(count, for: use)
        #expect(again == words)
        #expect((0..<count).allSatisfy { again[$0] == 0 })
    }

    // MARK: Beside readers

    /// Everything that an index gives up, while threads read from it, in the engine of the writer and in one that follows it.
    ///
    /// AddressSanitizer sees what nobody else does.
    @Test func readersMayLookAtWhatAnIndexGivesUp() throws {
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

    /// The table and the directory grow, keys move, and another index takes the place of the follower's.
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
