import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Testing

/// The stores that write a whole file.
///
/// They give the same guarantees after a crash.
enum FileStoreKind: CaseIterable, Sendable {
    case propertyList, sharedPreferences

    func open(_ disk: SimulatedFileSystem) throws -> any KeyValueStore {
        switch self {
        case .propertyList: try PropertyListStore(path: "/data/s.plist", on: disk, lockLimit: .zero)
        case .sharedPreferences: try SharedPreferencesStore(path: "/data/s.xml", on: disk, lockLimit: .zero)
        }
    }
}

@Suite struct FileStoreCrashTests {

    /// Writes two keys with values that identify the commit `number`, which is 1 to 3.
    private func commit(_ number: Int64, to store: any KeyValueStore) throws {
        var batch = StoreBatch()
        batch.set(.int(number), for: "a")
        batch.set(.int(number), for: "b")
        _ = try store.commit(batch)
    }

    @Test(arguments: FileStoreKind.allCases)
    func powerLossLeavesOnlyCompleteCommits(kind: FileStoreKind) throws {
        let disk = SimulatedFileSystem(directories: ["/data"])
        let store = try kind.open(disk)
        var acknowledged: [Int] = []
        for number in 1...3 {
            try commit(Int64(number), to: store)
            acknowledged.append(disk.eventCount)
        }
        try disk.forEachCrashImage(atLeast: 200) { image in
            let store = try kind.open(image.fileSystem)
            let found = try store.get("a")
            #expect(try store.get("b") == found)
            let least = acknowledged.count { $0 <= image.eventCount }
            #expect((found ?? 0) == .int(Int64(least)) || found == .int(Int64(least + 1)), "image \(image)")
            #expect(try store.verify().isIntact)
            try commit(9, to: store)
            #expect(try kind.open(image.fileSystem).get("a") == 9)
        }
    }

    @Test(arguments: FileStoreKind.allCases, [(Int32(5), false), (5, true), (28, false), (28, true)])
    func failedFileOperationLeavesOldOrNewContent(kind: FileStoreKind, fault: (Int32, Bool)) throws {
        let total = try operations(kind) { _ in }
        #expect(total > 10)
        for failing in 0..<total {
            let collected = Issues()
            try withIssueHandler({ collected.add($0) }) {
                try self.failing(kind, failing, errno: fault.0, forever: fault.1)
            }
        }
    }

    /// Runs the scenario, and returns the number of its file operations.
    private func operations(_ kind: FileStoreKind, _ prepare: (SimulatedFileSystem) -> Void) throws -> Int {
        let disk = SimulatedFileSystem(directories: ["/data"])
        try commit(1, to: kind.open(disk))
        prepare(disk)
        let before = disk.operationCount
        let store = try kind.open(disk)
        try commit(2, to: store)
        return disk.operationCount - before
    }

    private func failing(_ kind: FileStoreKind, _ index: Int, errno: Int32, forever: Bool) throws {
        let disk = SimulatedFileSystem(directories: ["/data"])
        try commit(1, to: kind.open(disk))
        disk.fail(at: disk.operationCount + index, errno: errno, forever: forever)
        var isCommitted = false
        let store: any KeyValueStore
        do {
            store = try kind.open(disk)
        } catch {
            disk.stopFailing()
            #expect(try kind.open(disk).get("a") == 1)
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
        try disk.forEachCrashImage(atLeast: 1, from: disk.eventCount, limit: 200) { image in
            let survived = try kind.open(image.fileSystem).entries().map(\.value)
            #expect(survived == [1, 1] || survived == [2, 2], "operation \(index), image \(image)")
        }
        #expect(try kind.open(disk).entries().map(\.value) == [expected, expected])
        #expect(try store.verify().isIntact)
        try commit(3, to: store)
        #expect(try kind.open(disk).get("b") == 3)
    }

    @Test(arguments: FileStoreKind.allCases)
    func openingUnreadableFileThrowsInsteadOfReturningEmptyStore(kind: FileStoreKind) throws {
        let disk = SimulatedFileSystem(directories: ["/data"])
        try commit(1, to: kind.open(disk))
        let start = disk.operationCount
        _ = try kind.open(disk)
        #expect(disk.operationCount - start > 2)
        for index in 0..<(disk.operationCount - start) {
            disk.fail(at: disk.operationCount + index, errno: 13, forever: true)
            let error = #expect(throws: StoreError.self) { try kind.open(disk) }
            #expect(error?.code == .notPermitted)
            disk.stopFailing()
        }
        #expect(try kind.open(disk).get("a") == 1)
    }

    @Test(arguments: FileStoreKind.allCases)
    func commitWithFailedFinalSyncIsKeptAndReported(kind: FileStoreKind) throws {
        let disk = SimulatedFileSystem(directories: ["/data"])
        let store = try kind.open(disk)
        try commit(1, to: store)
        var thrown: [StoreError.Code] = []
        for index in 0..<60 {
            let before = try store.get("a")
            disk.fail(at: disk.operationCount + index, errno: 5)
            do {
                try store.set(.int(Int64(index)), for: "a", durability: .synced)
            } catch let error as StoreError {
                disk.stopFailing()
                if try store.get("a") != before { thrown.append(error.code) }
            }
            disk.stopFailing()
            #expect(try store.verify().isIntact)
        }
        #expect(thrown == [.inputOutput])
    }

    @Test(arguments: FileStoreKind.allCases)
    func commitOnFullDiskThrowsDiskFull(kind: FileStoreKind) throws {
        var codes: Set<StoreError.Code> = []
        let total = try operations(kind) { _ in }
        #expect(total > 10)
        for index in 0..<total {
            let disk = SimulatedFileSystem(directories: ["/data"])
            let store = try kind.open(disk)
            try commit(1, to: store)
            disk.fail(at: disk.operationCount + index, errno: 28, forever: true)
            do { try withIssueHandler({ _ in }) { try commit(2, to: store) } } catch let error as StoreError {
                codes.insert(error.code)
            }
        }
        #expect(codes.contains(.diskFull))
    }
}
