import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Testing

/// Tests of several processes that share a store.
///
/// The processes are simulated by engines that share only the disk.
@Suite(.expectsIssues(.degraded)) struct DeviceStoreProcessTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func commitIsVisibleToNextReadInAnotherProcess(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let first = try fixture.open()
        let second = try fixture.open()
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
    func changesByAnotherProcessArriveInOrderAcrossCompactions(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let writer = try fixture.open()
        let reader = try fixture.open()
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
    func observersReceiveMissedEventAfterSeveralCompactions(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let writer = try fixture.open()
        let reader = try fixture.open()
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

    /// Opens a store that has one value.
    ///
    /// Also returns the control file and the lock of another process, which holds the lock.
    private func openBesideHolder(
        _ fixture: StoreFixture
    ) throws -> (store: DeviceStore, control: any OpenFile, lock: ControlLock) {
        let store = try fixture.open()
        try store.set(.int(1), for: "a")
        let control = try fixture.disk.open(StoreFixture.path + ".ctl", .writing)
        let lock = try ControlLock(of: control)
        #expect(lock.isTaken)
        return (store, control, lock)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func lockHeldByAnotherProcessBlocksWritesButNotReads(io: DeviceStoreOptions.IO) throws {
        // The holder is alive and doesn't release the lock.
        let (store, control, lock) = try openBesideHolder(StoreFixture(io: io))
        defer { withExtendedLifetime(control) {} }
        let error = #expect(throws: StoreError.self) { try store.set(.int(2), for: "a") }
        #expect(error?.code == .busy)
        #expect(try store.get("a") == .int(1))
        try lock.release()
        try store.set(.int(2), for: "a")
        #expect(try store.get("a") == .int(2))
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func nextWriterErasesTornCommitOfDeadLockHolder(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        // The holder dies after writing half a frame.
        let (store, control, _) = try openBesideHolder(fixture)
        let log = try fixture.disk.open(StoreFixture.path, .writing)
        let end = try log.read(at: 0, count: 8192).lastIndex { $0 != 0 } ?? 0
        try log.write([1, 2, 3, 4, 40, 0, 0, 0, 2], at: (end / 8 + 1) * 8)
        try control.close()
        try store.set(.int(2), for: "a")
        #expect(try store.get("a") == .int(2))
        #expect(try fixture.open().get("a") == .int(2))
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func failedSyncStopsWritesInAllProcessesUntilReopening(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let first = try fixture.open()
        let second = try fixture.open()
        try first.set(.int(1), for: "a")
        #expect(try second.get("a") == .int(1))
        fixture.disk.fail(at: fixture.disk.operationCount, errno: 5)
        #expect(throws: StoreError.self) { try first.flushNow() }
        #expect(throws: StoreError.self) { try first.set(.int(2), for: "a") }
        #expect(throws: StoreError.self) { try second.set(.int(3), for: "a") }
        #expect(throws: StoreError.self) { try first.flushNow() }
        #expect(try second.get("a") == .int(1))
        let reopened = try fixture.open()
        #expect(try reopened.get("a") == .int(1))
        try reopened.setSynced(.int(4), for: "a")
        #expect(try reopened.verify().isIntact)
        let afterwards = try StoreFixture(fixture.disk.afterPowerLoss(seed: 1), io: io).open()
        #expect(try afterwards.get("a") == .int(4))
        #expect(try afterwards.verify().isIntact)
    }

    @Test func unfinishedCommitOfDeadWriterIsErased() throws {
        let fixture = StoreFixture()
        let victim = try fixture.open()
        let witness = try fixture.open()
        try victim.set(.int(1), for: "a")
        #expect(try witness.get("a") == .int(1))
        // The frame is truncated after ten bytes, and erasing it fails, as it would if the process were gone.
        let next = fixture.disk.operationCount
        for index in next..<next + 12 { fixture.disk.fail(at: index, errno: 5, writing: 10) }
        #expect(throws: StoreError.self) { try victim.set(.string("never acknowledged"), for: "a") }
        fixture.disk.stopFailing()
        #expect(try witness.get("a") == .int(1))
        let reopened = try fixture.open()
        #expect(try reopened.get("a") == .int(1))
        #expect(try reopened.verify().isIntact)
    }
}

extension DeviceStoreProcessTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func compactionKilledAfterRenameIsCompletedByAnotherProcess(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let victim = try fixture.open()
        let witness = try fixture.open()
        for number in 0..<40 { try victim.set(.int(Int64(number)), for: StoreKey("key\(number % 7)")) }
        let before = try victim.contents()
        let region = try fixture.disk.open(StoreFixture.path + ".ctl", .writing).map(
            offset: 0,
            count: 4096,
            writable: true
        )
        let page = try #require(region.bytes.baseAddress)
        // The values of device, inode and state word after the renaming and before any other change.
        let words = [48, 56, 64].map { ($0, page.load(fromByteOffset: $0, as: UInt64.self)) }
        try victim.compact()
        try victim.closeNow()
        for (offset, word) in words { page.storeBytes(of: word, toByteOffset: offset, as: UInt64.self) }
        page.storeBytes(of: 1, toByteOffset: 128, as: UInt64.self)
        try witness.set(.string("after"), for: "after")
        var expected = before
        expected["after"] = .string("after")
        #expect(try witness.contents() == expected)
        #expect(try fixture.open().contents() == expected)
        #expect(try witness.verify().isIntact)
    }
}

extension DeviceStoreProcessTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases, [true, false])
    func laggingProcessRecoversFromKilledCompaction(
        io: DeviceStoreOptions.IO,
        isReadFirst: Bool
    ) throws {
        let fixture = StoreFixture(io: io)
        let (witness, victim) = (try fixture.open(), try KilledCompaction(on: fixture))
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
        #expect(try fixture.open().contents() == ["a": 3])
        #expect(try witness.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func truncatedLogOfDeadWriterIsReportedAsCorrupt(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        try store.set(1, for: "a")
        let control = try fixture.disk.open(StoreFixture.path + ".ctl", .writing)
        #expect(try ControlLock(of: control).isTaken)
        let log = try fixture.disk.open(StoreFixture.path, .writing)
        try log.truncate(to: 4096)
        try control.close()
        #expect(code { try store.set(2, for: "a") } == .damaged)
        #expect(try store.get("a") == 1)
        #expect(try log.information().size == 4096)
        #expect(code { _ = try fixture.open() } == .damaged)
    }

    /// Uses only an unfinished commit as evidence that the holder of the lock died and did not release the lock.
    @Test func failedSyncWhileErasingUnfinishedCommitIsNotRetried() throws {
        var (index, isReached) = (0, false)
        while !isReached {
            let fixture = StoreFixture()
            let (store, other) = (try fixture.open(), try fixture.open())
            try store.set(1, for: "a")
            let log = try fixture.disk.open(StoreFixture.path, .writing)
            let end = try log.read(at: 0, count: 8192).lastIndex { $0 != 0 } ?? 0
            try log.write([1, 2, 3, 4, 40, 0, 0, 0, 2], at: (end / 8 + 1) * 8)
            let control = try fixture.disk.open(StoreFixture.path + ".ctl", .writing)
            let region = try control.map(offset: 0, count: 4096, writable: true)
            let page = try #require(region.bytes.baseAddress)
            page.storeBytes(of: UInt64((end / 8 + 1) * 8 + 40), toByteOffset: 128, as: UInt64.self)
            fixture.disk.fail(at: fixture.disk.operationCount + index, errno: 5)
            #expect(throws: StoreError.self) { try store.set(2, for: "a") }
            let failed = fixture.disk.operations.last { $0.errno != nil }
            index += 1
            guard failed?.operation == .synchronize else { continue }
            isReached = true
            #expect(code { try store.set(2, for: "a") } == .closed)
            #expect(code { try other.set(2, for: "a") } == .closed)
            let next = try fixture.open()
            #expect(try next.contents() == ["a": 1])
            #expect(try generation(fixture) == 2)
            #expect(try next.verify().isIntact)
        }
    }

    private func generation(_ fixture: StoreFixture) throws -> UInt8 {
        try #require(try fixture.disk.open(StoreFixture.path, .reading).read(at: 40, count: 1).first)
    }

    @Test func olderSyncFailureDoesNotOverwriteNewerFailure() throws {
        let fixture = StoreFixture()
        let meddled = MeddledFileSystem(.syncing, StoreFixture.path, on: fixture.disk)
        let (first, second) = (try fixture.open(), try fixture.open { $0.environment.fileSystem = meddled })
        try first.set(1, for: "a")
        #expect(try second.get("a") == 1)
        meddled.once {
            #expect(throws: Never.self) {
                try first.compact()
                try first.set(2, for: "a")
            }
            fixture.disk.fail(at: fixture.disk.operationCount, errno: 5)
            #expect(code { try first.flushNow() } == .inputOutput)
            fixture.disk.fail(at: fixture.disk.operationCount, errno: 5)
        }
        #expect(code { try second.flushNow() } == .inputOutput)
        let next = try fixture.open()
        #expect(try next.contents() == ["a": 2])
        #expect(try generation(fixture) == 3)
        #expect(try next.verify().isIntact)
    }
}
