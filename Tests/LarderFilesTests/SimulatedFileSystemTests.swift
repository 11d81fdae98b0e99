import Foundation
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

struct SimulatedFileSystemTests {
    private let system = SimulatedFileSystem(files: ["/f": [1, 2, 3]])

    private func create(_ path: String, on system: SimulatedFileSystem) throws -> any OpenFile {
        try system.open(path, FileOpenMode(isWritable: true, creation: .ifMissing))
    }

    private func code(_ body: () throws -> Void) -> FileError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? FileError)?.code
        }
    }

    /// Returns all contents that the file "/f" may have if the power fails after all events.
    private func contents(_ system: SimulatedFileSystem, _ tearing: Tearing = .sectors) throws -> Set<Data?> {
        var found: Set<Data?> = []
        let isComplete = try system.forEachCrashImage(atLeast: 1, from: system.eventCount, tearing: tearing) { image in
            found.insert(try image.fileSystem.contentsIfPresent(of: "/f"))
        }
        #expect(isComplete)
        return found
    }

    // MARK: Behavior with power

    @Test func simulatedFileSystemBehavesLikeRealFileSystem() throws {
        try system.createDirectory(at: "/a/b")
        let file = try create("/a/b/c", on: system)
        try file.write([1, 2, 3, 4], at: 2)
        #expect(try file.read(at: 0, count: 9) == [0, 0, 1, 2, 3, 4])
        try file.truncate(to: 3)
        try file.reserve(5)
        #expect(try file.read(at: 0, count: 9) == [0, 0, 1, 0, 0])
        try file.setPermissions(0o640)
        #expect(try system.information(at: "/a/b/c", followingLinks: true)?.permissions == 0o640)
        #expect(try system.information(at: "/a", followingLinks: true)?.kind == .directory)
        #expect(try system.information(at: "/none", followingLinks: true) == nil)
        #expect(try system.contentsOfDirectory(at: "/") == ["a", "f"])
        try system.rename("/a/b/c", to: "/f")
        #expect(try system.contents(of: "/f") == Data([0, 0, 1, 0, 0]))
        try system.remove("/f")
        #expect(try system.contentsIfPresent(of: "/f") == nil)
    }

    @Test func misuseOfSimulatedFileSystemFailsAsOnRealDisk() throws {
        #expect(code { _ = try system.open("/none", .reading) } == .notFound)
        #expect(code { _ = try create("/none/x", on: system) } == .notFound)
        #expect(code { _ = try system.open("/", .reading) } == .wrongKind)
        #expect(code { _ = try system.open("/a\0", .reading) } == .invalidPath)
        #expect(code { _ = try system.open("/f", FileOpenMode(isWritable: true, creation: .always)) } == .alreadyExists)
        #expect(code { try system.createDirectory(at: "/f/x") } == .wrongKind)
        #expect(code { try system.remove("/none") } == .notFound)
        #expect(code { try system.remove("/") } == .wrongKind)
        #expect(code { try system.rename("/none", to: "/f") } == .notFound)
        #expect(code { try system.rename("/f", to: "/") } == .wrongKind)
        #expect(code { _ = try system.contentsOfDirectory(at: "/none") } == .notFound)
        #expect(code { try system.synchronizeDirectory(at: "/none") } == .notFound)
        #expect(code { try system.open("/f", .reading).write([1], at: 0) } == .closed)
        #expect(throws: FileError.self) { try create("/f", on: system).map(offset: 0, count: 0, writable: true) }
        let file = try create("/f", on: system)
        try file.close()
        #expect(code { _ = try file.information() } == .closed)
    }

    @Test func simulatedLockIsExclusiveUntilReleased() throws {
        let first = try create("/f", on: system)
        let second = try create("/f", on: system)
        #expect(try first.lock(.exclusive, wait: false))
        #expect(try !second.lock(.shared, wait: false))
        try first.close()
        #expect(try second.lock(.shared, wait: true))
        let third = try create("/f", on: system)
        #expect(try third.lock(.shared, wait: false))
        #expect(try !third.lock(.exclusive, wait: false))
        try second.unlock()
        #expect(try third.lock(.exclusive, wait: false))
    }

    @Test func waitForSimulatedLockEndsWhenLockIsReleased() throws {
        let first = try create("/f", on: system)
        let second = try create("/f", on: system)
        #expect(try first.lock(.exclusive, wait: false))
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = try? second.lock(.exclusive, wait: true)
            done.signal()
        }
        try first.unlock()
        #expect(done.wait(timeout: .now() + 20) == .success)
    }

    @Test func memoryMapsOfSameFileShareBytes() throws {
        let file = try create("/f", on: system)
        let first = try file.map(offset: 0, count: 3, writable: true)
        let second = try create("/f", on: system).map(offset: 1, count: 2, writable: true)
        first.bytes[1] = 42
        #expect(second.bytes[0] == 42)
        #expect(try file.read(at: 0, count: 3) == [1, 42, 3])
        try file.write([7], at: 2)
        #expect(first.bytes[2] == 7)
        try file.truncate(to: 1)
        try file.truncate(to: 3)
        #expect(Array(first.bytes) == [1, 0, 0])
    }

    /// A byte that changes back before it is compared a second time does not count as changed.
    @Test func concurrentStoreToMemoryMapRecordsOnlyChangedByte() throws {
        let file = try create("/f", on: system)
        let map = try file.map(offset: 0, count: 3, writable: true)
        let isOver = Atomic(false)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while !isOver.load(ordering: .relaxed) { map.bytes[1] ^= 1 }
            done.signal()
        }
        for _ in 0..<100_000 { system.recordMappedStores() }
        isOver.store(true, ordering: .relaxed)
        done.wait()
        #expect(
            system.events.allSatisfy { event in
                guard case .write(1, 1, let bytes) = event else { return false }
                return bytes.count == 1
            }
        )
    }

    // MARK: Recording and failures

    @Test func simulatedFileSystemRecordsEveryCall() throws {
        let file = try create("/f", on: system)
        try file.write([1], at: 0)
        try file.synchronize(.data)
        #expect(system.operations.map(\.operation) == [.open, .write, .synchronize])
        #expect(system.events == [.write(1, 0, [1]), .synchronize(1)])
    }

    @Test func injectedFailureMakesOneCallFail() throws {
        system.fail(at: 1, errno: EIO)
        let file = try create("/f", on: system)
        #expect(throws: FileError.self) { try file.write([9, 9], at: 0) }
        try file.write([8], at: 1)
        #expect(try file.read(at: 0, count: 3) == [1, 8, 3])
        #expect(system.operations[1].description == "write /f failed with \(EIO)")
    }

    @Test func permanentFailureMakesAllLaterCallsFail() throws {
        system.fail(at: 1, errno: ENOSPC, forever: true)
        let file = try create("/f", on: system)
        #expect(code { try file.write([9], at: 0) } == .diskFull)
        #expect(code { try file.write([9], at: 0) } == .diskFull)
        system.stopFailing()
        try file.write([9], at: 0)
    }

    @Test func failedWriteMayBePartial() throws {
        system.fail(at: 1, errno: ENOSPC, writing: 1)
        let file = try create("/f", on: system)
        #expect(throws: FileError.self) { try file.write([8, 9], at: 0) }
        #expect(try file.read(at: 0, count: 3) == [8, 2, 3])
    }

    // MARK: Power loss

    @Test func syncedContentSurvivesPowerLoss() throws {
        let file = try create("/f", on: system)
        try file.write([9], at: 0)
        try file.synchronize(.data)
        #expect(try contents(system) == [Data([9, 2, 3])])
    }

    @Test func unsyncedWriteMaySurvivePowerLoss() throws {
        try create("/f", on: system).write([9], at: 0)
        #expect(try contents(system) == [Data([1, 2, 3]), Data([9, 2, 3])])
    }

    @Test func powerLossMayLeaveSectorInAnyWrittenState() throws {
        let file = try create("/f", on: system)
        try file.write([7, 7], at: 0)
        try file.write([9], at: 0)
        #expect(try contents(system) == [Data([1, 2, 3]), Data([7, 7, 3]), Data([9, 7, 3])])
    }

    @Test func powerLossMayReorderUnsyncedWritesAndTearThemBetweenSectors() throws {
        let system = SimulatedFileSystem(files: ["/f": [UInt8](repeating: 0, count: 1024)])
        try create("/f", on: system).write([1, 1], at: 511)
        let found = try contents(system).map { Array(($0 ?? Data())[511...512]) }
        #expect(Set(found) == [[0, 0], [0, 1], [1, 0], [1, 1]])
    }

    @Test func powerLossMayTearUnsyncedWriteInsideSectorIfRequested() throws {
        try create("/f", on: system).write([7, 8, 9], at: 0)
        #expect(
            try contents(system, .bytes) == [Data([1, 2, 3]), Data([7, 2, 3]), Data([7, 8, 3]), Data([7, 8, 9])]
        )
    }

    @Test func powerLossMayLeaveExtendedFileWithoutData() throws {
        try create("/f", on: system).write([4], at: 3)
        let found = try contents(system)
        #expect(found.isSuperset(of: [Data([1, 2, 3]), Data([1, 2, 3, 0]), Data([1, 2, 3, 4])]))
        #expect(found.count == 4, "one content is garbage")
    }

    @Test func unsyncedTruncationMaySurvivePowerLoss() throws {
        let file = try create("/f", on: system)
        try file.truncate(to: 1)
        #expect(try contents(system) == [Data([1, 2, 3]), Data([1, 0, 0]), Data([1])], "zeroed, not yet truncated")
        try file.synchronize(.everything)
        #expect(try contents(system) == [Data([1])])
    }

    @Test func newFileIsDurableAfterFolderSync() throws {
        let system = SimulatedFileSystem()
        let file = try create("/f", on: system)
        try file.write([1], at: 0)
        try file.synchronize(.everything)
        #expect(try contents(system) == [nil, Data([1])])
        try system.synchronizeDirectory(at: "/")
        #expect(try contents(system) == [Data([1])])
    }

    @Test func renameIsDurableAfterFolderSync() throws {
        let system = SimulatedFileSystem(files: ["/f": [1], "/new": [2]])
        try system.rename("/new", to: "/f")
        #expect(try contents(system) == [Data([1]), Data([2])])
        try system.synchronizeDirectory(at: "/")
        #expect(try contents(system) == [Data([2])])
        #expect(try system.afterPowerLoss(seed: 1).contentsIfPresent(of: "/new") == nil)
    }

    @Test func removalIsDurableAfterFolderSync() throws {
        try system.remove("/f")
        #expect(try contents(system) == [nil, Data([1, 2, 3])])
        try system.synchronizeDirectory(at: "/")
        #expect(try contents(system) == [nil])
    }

    @Test func newFolderIsDurableImmediately() throws {
        try system.createDirectory(at: "/a/b")
        #expect(try system.afterPowerLoss(seed: 1).information(at: "/a/b", followingLinks: true)?.kind == .directory)
    }

    @Test func memoryMapStoresAreDurableAfterPageSync() throws {
        let system = SimulatedFileSystem(files: ["/f": [UInt8](repeating: 0, count: 8192)])
        let region = try create("/f", on: system).map(offset: 0, count: 8192, writable: true)
        region.bytes[0] = 1
        region.bytes[600] = 1
        region.bytes[5000] = 1
        system.recordMappedStores()
        #expect(system.eventCount == 3)
        #expect(try contents(system).count == 8)
        try region.synchronize(5000..<5001)
        #expect(try contents(system).count == 4)
        try region.synchronize(0..<1)
        #expect(try contents(system).count == 1)
    }

    @Test func memoryMapStoresAreDurableAfterFileSync() throws {
        let file = try create("/f", on: system)
        try file.map(offset: 0, count: 3, writable: true).bytes[0] = 9
        try file.synchronize(.data)
        #expect(try contents(system) == [Data([9, 2, 3])])
    }

    @Test func syncingPartOfMappingLeavesRestUnsynced() throws {
        let system = SimulatedFileSystem(files: ["/f": [UInt8](repeating: 0, count: 12_288)])
        let file = try create("/f", on: system)
        let region = try file.map(offset: 0, count: 12_288, writable: true)
        try file.write([UInt8](repeating: 1, count: 8), at: 4_092)
        try region.synchronize(0..<1)
        let found = Set(try contents(system).map { Array(($0 ?? Data())[4_090..<4_102]) })
        #expect(found == [[0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]])
    }

    @Test func failedSyncNeverMakesBytesDurable() throws {
        let file = try create("/f", on: system)
        try file.write([9], at: 0)
        system.fail(at: system.operationCount, errno: EIO)
        #expect(throws: FileError.self) { try file.synchronize(.data) }
        #expect(try file.read(at: 0, count: 1) == [9])
        #expect(try contents(system).count == 2)
        try file.synchronize(.data)
        #expect(try contents(system) == [Data([1, 2, 3])])
    }

    @Test func simulatedCrashReleasesLocksButKeepsWrites() throws {
        let file = try create("/g", on: system)
        #expect(try file.lock(.exclusive, wait: false))
        try file.write([1, 2], at: 0)
        let after = system.afterProcessDeath()
        #expect(try after.contents(of: "/g") == Data([1, 2]))
        #expect(try create("/g", on: after).lock(.exclusive, wait: false))
    }

    @Test func simulatedDiskCanLosePowerRepeatedly() throws {
        let again = system.afterPowerLoss(seed: 3)
        try create("/f", on: again).write([9], at: 0)
        #expect(try contents(again) == [Data([1, 2, 3]), Data([9, 2, 3])])
    }

    @Test func crashIsSimulatedAfterEveryEvent() throws {
        let file = try create("/f", on: system)
        for byte in 0..<3 { try file.write([9], at: byte) }
        var counts: Set<Int> = []
        try system.forEachCrashImage(atLeast: 4) { counts.insert($0.eventCount) }
        #expect(counts == [0, 1, 2, 3])
    }

    @Test func incompleteCrashImageSetIsReported() throws {
        let file = try create("/f", on: system)
        for byte in 0..<3 { try file.write([9], at: byte) }
        #expect(try !system.forEachCrashImage(atLeast: 1, limit: 2) { _ in })
    }

    @Test func scenarioWithTooFewCrashImagesThrows() {
        let error = #expect(throws: TooFewCrashImages.self) {
            try system.forEachCrashImage(atLeast: 10) { _ in }
        }
        #expect(error?.minimum == 10)
    }

    @Test func scenarioWithTooFewRandomCrashImagesThrows() {
        let error = #expect(throws: TooFewCrashImages.self) {
            try system.forEachSampledCrashImage(atLeast: 10, seed: 1, perPoint: 1, where: { _ in false }) { _ in }
        }
        #expect(error?.count == 0)
    }

    @Test func randomCrashImagesAreReproducibleSubset() throws {
        let file = try create("/f", on: system)
        for byte in 0..<5 { try file.write([9], at: byte) }
        let all = try contents(system, .bytes)
        var first: [Data?] = []
        var second: [Data?] = []
        try system.forEachSampledCrashImage(atLeast: 200, from: 5, seed: 7, perPoint: 200) {
            first.append(try $0.fileSystem.contentsIfPresent(of: "/f"))
        }
        try system.forEachSampledCrashImage(atLeast: 200, from: 5, seed: 7, perPoint: 200) {
            second.append(try $0.fileSystem.contentsIfPresent(of: "/f"))
        }
        #expect(first == second)
        #expect(all.isSuperset(of: first))
        #expect(Set(first).isSuperset(of: [Data([1, 2, 3]), Data([9, 9, 9, 9, 9])]))
    }
}
