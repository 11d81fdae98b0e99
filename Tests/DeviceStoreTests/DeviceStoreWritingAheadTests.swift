import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Pages of zeros are written to the disk as they are, all of a piece: ahead of few commits they would cost more than they save.
@Suite struct DeviceStoreWritingAheadTests {
    private let disk = ZeroCounter(SimulatedStore.disk(isRecording: false))
    private let store: DeviceStore

    init() throws { store = try SimulatedStore(on: disk, .mapped).open() }

    /// More than is made present at once, and less than makes a compaction due.
    private func putMuch(after each: () throws -> Void = {}) throws {
        for number in 0..<1_600 {
            try store.set(.int(Int64(number)), for: "a key of 16 bytes")
            try silently(each)
        }
    }

    @Test func zerosAreWrittenAheadOfManyCommitsBetweenTwoSyncs() throws {
        try putMuch()
        #expect(disk.zeros > 0)
        #expect(try store.verify().isIntact)
    }

    @Test func noneAreWrittenAheadOfCommitsThatAreSyncedOneByOne() throws {
        try putMuch { try store.flush() }
        #expect(disk.zeros == 0)
        #expect(try store.verify().isIntact)
    }

    @Test func compactionWritesNoneAheadOfCommitsThatAreSyncedOneByOne() throws {
        try putMuch { try store.flush() }
        try store.compact()
        #expect(disk.zeros == 0)
        #expect(try store.verify().isIntact)
    }

    @Test func compactionWritesThemAheadOfManyCommitsBetweenTwoSyncs() throws {
        try putMuch()
        let before = disk.zeros
        try store.compact()
        #expect(disk.zeros > before)
        #expect(try store.verify().isIntact)
    }
}

/// Counts the bytes that are written as nothing but zeros.
private final class ZeroCounter: ForwardingFileSystem {
    let base: any FileSystem
    private let count = Atomic(0)

    init(_ base: any FileSystem) { self.base = base }

    var zeros: Int { count.load(ordering: .relaxed) }

    func writing(
        _ bytes: UnsafeRawBufferPointer,
        _ path: String,
        _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        if bytes.allSatisfy({ $0 == 0 }) { count.add(bytes.count, ordering: .relaxed) }
        try write(bytes)
    }
}
