import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

/// What several processes see of one store, played by engines that share nothing but the disk.
@Suite(.expectsIssues(.degraded)) struct DeviceStoreProcessTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func aCommitIsSeenByAnotherProcessAtItsNextRead(io: DeviceStoreOptions.IO) throws {
        let lying = LyingStore(io: io)
        let first = try lying.open()
        let second = try lying.open()
        for number in 0..<50 {
            try first.set(.int(Int64(number)), for: "a")
            #expect(try second.get("a") == .int(Int64(number)))
            try second.set(.int(Int64(-number)), for: "b")
            #expect(try first.get("b") == .int(Int64(-number)))
        }
        #expect(try first.verify().isIntact)
        #expect(try second.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func changesOfAnotherProcessArriveInOrderAcrossCompactions(io: DeviceStoreOptions.IO) throws {
        let lying = LyingStore(io: io)
        let writer = try lying.open()
        let reader = try lying.open()
        let seen = Seen()
        let observation = reader.observe(prefix: "") { seen.add($0) }
        for number in 1...10 { try writer.set(.int(Int64(number)), for: "a") }
        try writer.compact()
        for number in 11...20 { try writer.set(.int(Int64(number)), for: "a") }
        #expect(try reader.get("a") == .int(20))
        #expect(seen.values(of: "a") == (1...20).map { .int($0) })
        #expect(seen.origins == [.anotherProcess])
        observation.cancel()
        #expect(try reader.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func severalCompactionsAtOnceAreReportedAsMissed(io: DeviceStoreOptions.IO) throws {
        let lying = LyingStore(io: io)
        let writer = try lying.open()
        let reader = try lying.open()
        let seen = Seen()
        let observation = reader.observe(prefix: "") { seen.add($0) }
        for number in 1...3 {
            try writer.set(.int(Int64(number)), for: "a")
            try writer.compact()
        }
        #expect(try reader.get("a") == .int(3))
        #expect(seen.missed == 1)
        observation.cancel()
        #expect(try reader.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func aHeldLockEndsInBusyAndReadsGoOn(io: DeviceStoreOptions.IO) throws {
        let lying = LyingStore(io: io)
        let store = try lying.open()
        try store.set(.int(1), for: "a")
        // Somebody who lives, and does not let go.
        let control = try lying.disk.open(LyingStore.path + ".ctl", .writing)
        let lock = try ControlLock(of: control)
        #expect(lock.isTaken)
        let error = #expect(throws: StoreError.self) { try store.set(.int(2), for: "a") }
        #expect(error?.code == .busy)
        #expect(try store.get("a") == .int(1))
        try lock.letGo()
        try store.set(.int(2), for: "a")
        #expect(try store.get("a") == .int(2))
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func aLockWhoseHolderDiedIsTakenAndWhatItBeganIsWipedOut(io: DeviceStoreOptions.IO) throws {
        let lying = LyingStore(io: io)
        let store = try lying.open()
        try store.set(.int(1), for: "a")
        // Somebody who dies with half a frame written.
        let control = try lying.disk.open(LyingStore.path + ".ctl", .writing)
        let lock = try ControlLock(of: control)
        #expect(lock.isTaken)
        let log = try lying.disk.open(LyingStore.path, .writing)
        let end = try log.read(at: 0, count: 8192).lastIndex { $0 != 0 } ?? 0
        try log.write([1, 2, 3, 4, 40, 0, 0, 0, 2], at: (end / 8 + 1) * 8)
        try control.close()
        try store.set(.int(2), for: "a")
        #expect(try store.get("a") == .int(2))
        #expect(try lying.open().get("a") == .int(2))
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func aFailedSyncPoisonsTheStoreForEveryProcessUntilItIsReopened(io: DeviceStoreOptions.IO) throws {
        let lying = LyingStore(io: io)
        let first = try lying.open()
        let second = try lying.open()
        try first.set(.int(1), for: "a")
        #expect(try second.get("a") == .int(1))
        lying.disk.fail(at: lying.disk.operationCount, errno: 5)
        #expect(throws: StoreError.self) { try first.flushNow() }
        #expect(throws: StoreError.self) { try first.set(.int(2), for: "a") }
        #expect(throws: StoreError.self) { try second.set(.int(3), for: "a") }
        #expect(throws: StoreError.self) { try first.flushNow() }
        #expect(try second.get("a") == .int(1))
        let reopened = try lying.open()
        #expect(try reopened.get("a") == .int(1))
        try reopened.setSynced(.int(4), for: "a")
        #expect(try reopened.verify().isIntact)
        let afterwards = try LyingStore(lying.disk.afterPowerLoss(seed: 1), io: io).open()
        #expect(try afterwards.get("a") == .int(4))
        #expect(try afterwards.verify().isIntact)
    }

    @Test func whatADeadWriterBeganIsWipedOut() throws {
        let lying = LyingStore()
        let victim = try lying.open()
        let witness = try lying.open()
        try victim.set(.int(1), for: "a")
        #expect(try witness.get("a") == .int(1))
        // The frame is cut off after ten bytes, and so is every attempt to wipe it out: the process is gone.
        let next = lying.disk.operationCount
        for index in next..<next + 12 { lying.disk.fail(at: index, errno: 5, writing: 10) }
        #expect(throws: StoreError.self) { try victim.set(.string("never acknowledged"), for: "a") }
        lying.disk.stopFailing()
        #expect(try witness.get("a") == .int(1))
        let reopened = try lying.open()
        #expect(try reopened.get("a") == .int(1))
        #expect(try reopened.verify().isIntact)
    }
}

extension DeviceStoreProcessTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func aCompactionKilledWhenItsFileWasInPlaceIsFinished(io: DeviceStoreOptions.IO) throws {
        let lying = LyingStore(io: io)
        let victim = try lying.open()
        let witness = try lying.open()
        for number in 0..<40 { try victim.set(.int(Int64(number)), for: StoreKey("key\(number % 7)")) }
        let before = try victim.contents()
        let region = try lying.disk.open(LyingStore.path + ".ctl", .writing).map(offset: 0, count: 4096, writable: true)
        let page = try #require(region.bytes.baseAddress)
        // Device, inode and state word as they were when the file had been renamed and nothing else had been done.
        let words = [48, 56, 64].map { ($0, page.load(fromByteOffset: $0, as: UInt64.self)) }
        try victim.compact()
        try victim.closeNow()
        for (offset, word) in words { page.storeBytes(of: word, toByteOffset: offset, as: UInt64.self) }
        page.storeBytes(of: 1, toByteOffset: 128, as: UInt64.self)
        try witness.set(.string("after"), for: "after")
        var expected = before
        expected["after"] = .string("after")
        #expect(try witness.contents() == expected)
        #expect(try lying.open().contents() == expected)
        #expect(try witness.verify().isIntact)
    }
}

extension DeviceStoreProcessTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases, [true, false])
    func aCompactionKilledWhenItsFileWasInPlaceIsFollowedByWhoeverMissedTheOneBefore(
        io: DeviceStoreOptions.IO,
        isReadFirst: Bool
    ) throws {
        let lying = LyingStore(io: io)
        let (witness, victim) = (try lying.open(), try KilledCompaction(on: lying))
        let seen = Seen()
        let observation = witness.observe(prefix: "") { seen.add($0) }
        try victim.store.set(1, for: "a")
        #expect(try witness.get("a") == 1)
        try victim.store.compact()
        try victim.store.set(2, for: "a")
        victim.compact()
        if isReadFirst {
            #expect(try witness.get("a") == 2)
            #expect(try witness.get("a") == 2)
        }
        try witness.set(3, for: "a")
        #expect(try witness.contents() == ["a": 3])
        #expect(seen.missed == 1)
        observation.cancel()
        #expect(try lying.open().contents() == ["a": 3])
        #expect(try witness.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func aLogThatIsCutWhereAWriterDiedIsDamagedAndNotWritten(io: DeviceStoreOptions.IO) throws {
        let lying = LyingStore(io: io)
        let store = try lying.open()
        try store.set(1, for: "a")
        let control = try lying.disk.open(LyingStore.path + ".ctl", .writing)
        #expect(try ControlLock(of: control).isTaken)
        let log = try lying.disk.open(LyingStore.path, .writing)
        try log.truncate(to: 4096)
        try control.close()
        #expect(code { try store.set(2, for: "a") } == .damaged)
        #expect(try store.get("a") == 1)
        #expect(try log.information().size == 4096)
        #expect(code { _ = try lying.open() } == .damaged)
    }

    /// Where nothing tells a holder that died from one that let go, what it began is all that is found.
    @Test func aSyncThatFailsWhileWhatAWriterBeganIsWipedOutIsNotRepeated() throws {
        var (index, isReached) = (0, false)
        while !isReached {
            let lying = LyingStore()
            let (store, other) = (try lying.open(), try lying.open())
            try store.set(1, for: "a")
            let log = try lying.disk.open(LyingStore.path, .writing)
            let end = try log.read(at: 0, count: 8192).lastIndex { $0 != 0 } ?? 0
            try log.write([1, 2, 3, 4, 40, 0, 0, 0, 2], at: (end / 8 + 1) * 8)
            let control = try lying.disk.open(LyingStore.path + ".ctl", .writing)
            let region = try control.map(offset: 0, count: 4096, writable: true)
            let page = try #require(region.bytes.baseAddress)
            page.storeBytes(of: UInt64((end / 8 + 1) * 8 + 40), toByteOffset: 128, as: UInt64.self)
            lying.disk.fail(at: lying.disk.operationCount + index, errno: 5)
            #expect(throws: StoreError.self) { try store.set(2, for: "a") }
            let failed = lying.disk.operations.last { $0.errno != nil }
            index += 1
            guard failed?.operation == .synchronize else { continue }
            isReached = true
            #expect(code { try store.set(2, for: "a") } == .closed)
            #expect(code { try other.set(2, for: "a") } == .closed)
            let next = try lying.open()
            #expect(try next.contents() == ["a": 1])
            #expect(try generation(lying) == 2)
            #expect(try next.verify().isIntact)
        }
    }

    private func generation(_ lying: LyingStore) throws -> UInt8 {
        try #require(try lying.disk.open(LyingStore.path, .reading).read(at: 40, count: 1).first)
    }

    @Test func aFailureInALaterGenerationIsNotForgottenForOneInAnEarlier() throws {
        let lying = LyingStore()
        let meddled = MeddledFileSystem(.syncing, LyingStore.path, on: lying.disk)
        let (first, second) = (try lying.open(), try lying.open { $0.environment.fileSystem = meddled })
        try first.set(1, for: "a")
        #expect(try second.get("a") == 1)
        meddled.once {
            #expect(throws: Never.self) {
                try first.compact()
                try first.set(2, for: "a")
            }
            lying.disk.fail(at: lying.disk.operationCount, errno: 5)
            #expect(code { try first.flushNow() } == .inputOutput)
            lying.disk.fail(at: lying.disk.operationCount, errno: 5)
        }
        #expect(code { try second.flushNow() } == .inputOutput)
        let next = try lying.open()
        #expect(try next.contents() == ["a": 2])
        #expect(try generation(lying) == 3)
        #expect(try next.verify().isIntact)
    }
}

/// The lock between processes as the format document places it in the control file, in the hands of a test.
struct ControlLock {
    let isTaken: Bool
    /// Whether somebody waits for it.
    var isWaitedFor: Bool { word.pointee.load(ordering: .relaxed) & SharedLock.waitingBit != 0 }
    private let lock: SharedLock
    private let region: any MappedRegion
    /// In `region`.
    private let word: UnsafeMutablePointer<Atomic<UInt32>>

    init(of control: any OpenFile) throws {
        region = try control.map(offset: 0, count: 4096, writable: true)
        word = try #require(region.bytes.baseAddress).advanced(by: 176).assumingMemoryBound(to: Atomic<UInt32>.self)
        lock = try SharedLock(word: word, lastMember: word + 1, file: control)
        isTaken = lock.tryLock()
    }

    func letGo() throws { try lock.unlock() }
}
