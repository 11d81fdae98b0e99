import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

@Suite struct PropertyListStoreCrashTests {
    private static let path = "/data/s.plist"

    private func open(_ disk: LyingFileSystem) throws -> PropertyListStore {
        try PropertyListStore(path: Self.path, on: disk, lockLimit: .zero)
    }

    /// Commits 1 to 3, two keys each.
    private func commit(_ number: Int64, to store: PropertyListStore) throws {
        var batch = StoreBatch()
        batch.set(.int(number), for: "a")
        batch.set(.int(number), for: "b")
        _ = try store.commit(batch)
    }

    @Test func everyPowerLossLeavesOneCommitWhole() throws {
        let disk = LyingFileSystem(directories: ["/data"])
        let store = try open(disk)
        var acknowledged: [Int] = []
        for number in 1...3 {
            try commit(Int64(number), to: store)
            acknowledged.append(disk.eventCount)
        }
        try disk.forEachCrashImage { image in
            let store = try open(image.fileSystem)
            let found = try store.get("a")
            #expect(try store.get("b") == found)
            let least = acknowledged.count { $0 <= image.eventCount }
            #expect((found ?? 0) == .int(Int64(least)) || found == .int(Int64(least + 1)), "image \(image)")
            #expect(try store.verify().isIntact)
            try commit(9, to: store)
            #expect(try open(image.fileSystem).get("a") == 9)
        }
    }

    @Test(arguments: [Int32(5), 28], [false, true])
    func everyFailedOperationLeavesOldOrNewInMemoryAndOnDisk(errno: Int32, forever: Bool) throws {
        let total = try operations { _ in }
        for failing in 0..<total {
            let collected = Issues()
            try withIssueHandler({ collected.add($0) }) { try self.failing(failing, errno: errno, forever: forever) }
        }
    }

    /// Runs the scenario and returns how many operations it took.
    private func operations(_ prepare: (LyingFileSystem) -> Void) throws -> Int {
        let disk = LyingFileSystem(directories: ["/data"])
        try commit(1, to: open(disk))
        prepare(disk)
        let before = disk.operationCount
        let store = try open(disk)
        try commit(2, to: store)
        return disk.operationCount - before
    }

    private func failing(_ index: Int, errno: Int32, forever: Bool) throws {
        let disk = LyingFileSystem(directories: ["/data"])
        try commit(1, to: open(disk))
        disk.fail(at: disk.operationCount + index, errno: errno, forever: forever)
        var isCommitted = false
        let store: PropertyListStore
        do {
            store = try open(disk)
        } catch {
            disk.stopFailing()
            #expect(try open(disk).get("a") == 1)
            return
        }
        do {
            try commit(2, to: store)
            isCommitted = true
        } catch let error as StoreError {
            #expect([.inputOutput, .diskFull, .busy].contains(error.code))
        }
        disk.stopFailing()
        let expected: StoredValue = isCommitted ? 2 : 1
        #expect(try store.get("a") == expected, "operation \(index), \(errno), \(forever)")
        #expect(try open(disk).entries().map(\.value) == [expected, expected])
        #expect(try store.verify().isIntact)
        try commit(3, to: store)
        #expect(try open(disk).get("b") == 3)
    }

    @Test func unreadableFileIsAnErrorRatherThanAnEmptyStore() throws {
        let disk = LyingFileSystem(directories: ["/data"])
        try commit(1, to: open(disk))
        let start = disk.operationCount
        _ = try open(disk)
        for index in 0..<(disk.operationCount - start) {
            disk.fail(at: disk.operationCount + index, errno: 13, forever: true)
            let error = #expect(throws: StoreError.self) { try open(disk) }
            #expect(error?.code == .notPermitted)
            disk.stopFailing()
        }
        #expect(try open(disk).get("a") == 1)
    }

    @Test func commitThatOnlyTheLastSyncMissedStandsAndIsTold() throws {
        let disk = LyingFileSystem(directories: ["/data"])
        let store = try open(disk)
        try commit(1, to: store)
        var told: [StoreError.Code] = []
        for index in 0..<60 {
            let before = try store.get("a")
            disk.fail(at: disk.operationCount + index, errno: 5)
            do {
                try store.set(.int(Int64(index)), for: "a", durability: .synced)
            } catch let error as StoreError {
                disk.stopFailing()
                if try store.get("a") != before { told.append(error.code) }
            }
            disk.stopFailing()
            #expect(try store.verify().isIntact)
        }
        #expect(told == [.inputOutput])
    }

    @Test func fullDiskIsToldAsSuch() throws {
        var codes: Set<StoreError.Code> = []
        let total = try operations { _ in }
        for index in 0..<total {
            let disk = LyingFileSystem(directories: ["/data"])
            let store = try open(disk)
            try commit(1, to: store)
            disk.fail(at: disk.operationCount + index, errno: 28, forever: true)
            do { try withIssueHandler({ _ in }) { try commit(2, to: store) } } catch let error as StoreError {
                codes.insert(error.code)
            }
        }
        #expect(codes.contains(.diskFull))
    }
}

/// Issues that were reported.
final class Issues: Sendable {
    private let state = Mutex<[LarderIssue]>([])
    func add(_ issue: LarderIssue) { state.withLock { $0.append(issue) } }
    var all: [LarderIssue] { state.withLock { $0 } }
}
