import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Tests in which another program truncates or overwrites the log of an open store.
@Suite(.serialized) struct DeviceStoreChangedLogTests {
    /// The way in which the other program changes the file.
    enum Change: CaseIterable, Sendable {
        case cut
        case cutAndRegrown
        case overwrittenByAnotherStore
        case overwrittenByAnOlderCopy
    }

    private let directory: TemporaryDirectory
    private var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ name: String = "s.larder", _ io: DeviceStoreOptions.IO = .systemCalls) throws -> DeviceStore {
        var options = DeviceStoreOptions.with(io)
        options.environment.isAutomatic = false
        options.environment.isShared = false
        return try DeviceStore(path: directory.path(name), options: options)
    }

    /// Opens a store that contains commits after those in its older copy.
    private func openStore(_ io: DeviceStoreOptions.IO) throws -> DeviceStore {
        let store = try open("s.larder", io)
        try store.set(1, for: "a")
        try FileManager.default.copyItem(atPath: path, toPath: directory.path("copy"))
        try store.set(2, for: "a")
        try store.set(3, for: "b")
        return store
    }

    private func make(_ change: Change) throws {
        switch change {
        case .cut: #expect(truncate(path, 0) == 0)
        case .cutAndRegrown:
            let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
            #expect(truncate(path, 0) == 0 && truncate(path, off_t(size)) == 0)
        case .overwrittenByAnotherStore:
            let other = try open("other.larder")
            for number in 0..<10 { try other.set(.int(Int64(number)), for: "other") }
            try other.closeNow()
            try overwrite(with: "other.larder")
        case .overwrittenByAnOlderCopy: try overwrite(with: "copy")
        }
    }

    /// Overwrites the content of the log like `cp`, which keeps the inode.
    private func overwrite(with name: String) throws {
        let content = try Data(contentsOf: URL(fileURLWithPath: directory.path(name)))
        #expect(truncate(path, 0) == 0)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: content)
        try file.close()
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, Change.allCases)
    func flushThrowsIfAnotherProgramChangedLog(io: DeviceStoreOptions.IO, change: Change) throws {
        let store = try openStore(io)
        // Everything is on the disk, so the flush has nothing to sync.
        try store.flushNow()
        try make(change)
        #expect(code { try store.flushNow() } == .damaged)
        #expect(code { try store.flushNow() } == .damaged)
        #expect(code { try store.set(4, for: "a") } == .damaged)
        #expect(try store.get("a") == 2)
        #expect(try store.get("b") == 3)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, Change.allCases)
    func closeThrowsIfAnotherProgramChangedLog(io: DeviceStoreOptions.IO, change: Change) throws {
        let store = try openStore(io)
        try make(change)
        #expect(code { try store.closeNow() } == .damaged)
    }

    @Test(arguments: Change.allCases)
    func syncedCommitThrowsIfAnotherProgramChangedLog(change: Change) throws {
        let store = try openStore(.systemCalls)
        try store.flushNow()
        try make(change)
        #expect(throws: StoreError.self) { try store.setSynced(4, for: "a") }
        #expect(code { try store.set(4, for: "a") } == .damaged)
    }

    @Test(arguments: Change.allCases)
    func maintenanceReportsLogChangedByAnotherProgramOnce(change: Change) throws {
        let issues = HeardIssues()
        try withIssueHandler(issues.add) {
            let store = try openStore(.systemCalls)
            try store.flushNow()
            try make(change)
            store.maintain()
            store.maintain()
            #expect(code { try store.set(4, for: "a") } == .damaged)
        }
        #expect(issues.all.count == 1)
    }

    @Test(arguments: Change.allCases)
    func allProcessesStopWritingIfAnotherProgramChangedLog(change: Change) throws {
        let store = try openStore(.systemCalls)
        let other = try open()
        try make(change)
        #expect(code { try store.flushNow() } == .damaged)
        #expect(code { try other.set(4, for: "a") } == .closed)
    }

    /// The way in which an older copy replaces a log that no process has open.
    enum Restoration: CaseIterable, Sendable {
        case renamed
        case writtenOverALaterGeneration
        case writtenOverTheSameGeneration
    }

    @Test(arguments: Restoration.allCases)
    func restoredLogIsRejectedOnlyIfControlFileMatches(how: Restoration) throws {
        let store = try openStore(.systemCalls)
        if how == .writtenOverALaterGeneration { try store.compact() }
        try store.closeNow()
        if how == .renamed {
            #expect(rename(directory.path("copy"), path) == 0)
        } else {
            try overwrite(with: "copy")
        }
        if how == .writtenOverTheSameGeneration {
            #expect(code { _ = try open() } == .damaged)
            #expect(unlink(path + ".ctl") == 0)
        }
        let copy = try open()
        #expect(try copy.contents() == ["a": 1])
        #expect(try copy.verify().isIntact)
    }

    @Test func flushDoesNotMarkReplacedLogAsSynced() throws {
        let store = try openStore(.systemCalls)
        try make(.overwrittenByAnotherStore)
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(code { try store.flushNow() } == .damaged)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        let copy = try open()
        #expect(try copy.contents() == ["other": 9])
        #expect(try copy.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func flushSucceedsAfterCompactionByAnotherProcess(io: DeviceStoreOptions.IO) throws {
        let (store, other) = (try open("s.larder", io), try open("s.larder", io))
        for round in Int64(0)..<5 {
            try store.set(.int(round), for: "a")
            try other.flushNow()
            try other.compact()
            try store.flushNow()
            try other.set(.int(round), for: "b")
            try store.flushNow()
            store.maintain()
            try other.flushNow()
        }
        #expect(try store.verify().isIntact)
    }
}

/// Tests that errors name the file that they concern.
@Suite(.expectsIssues(.degraded)) struct DeviceStoreErrorPathTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func writeErrorAfterCompactionNamesLogFile(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        try store.set(1, for: "a")
        try store.compact()
        // Not memory-mapped.
        let large = StoredValue.string(String(repeating: "x", count: 70_000))
        fixture.disk.fail(at: fixture.disk.operationCount, errno: 5, forever: true)
        let error = #expect(throws: StoreError.self) { try store.set(large, for: "b") }
        #expect((error?.underlying as? FileError)?.path == StoreFixture.path)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func writeErrorInNewStoreNamesLogFile(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        fixture.disk.fail(at: fixture.disk.operationCount, errno: 5, forever: true)
        let error = #expect(throws: StoreError.self) { try store.set(1, for: "b") }
        #expect((error?.underlying as? FileError)?.path == StoreFixture.path)
    }

    @Test func errorForCorruptLargeValueAfterCompactionNamesLogFile() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("s.larder")
        let store = try DeviceStore(path: path)
        try store.set(.data(Data(repeating: 7, count: 20_000)), for: "large")
        try store.compact()
        let file = try LocalFileSystem.local.open(path, .writing)
        try file.write([8], at: 4096 + 5_000)
        let error = #expect(throws: StoreError.self) { _ = try store.get("large") }
        #expect(error?.message.contains(LogFormat.newSuffix) == false)
        #expect(error?.path == path)
    }

    /// Uses the real file system, where accessing a truncated mapping raises a signal.
    @Test func errorForTruncatedMappingAfterCompactionNamesLogFile() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("s.larder")
        let store = try DeviceStore(path: path, options: .with(.mapped))
        guard store.io == .mapped else { return }
        try store.set(1, for: "a")
        try store.compact()
        #expect(truncate(path, 0) == 0)
        let error = #expect(throws: StoreError.self) {
            for number in Int64(0)..<10 { try store.set(.int(number), for: "a") }
        }
        #expect((error?.underlying as? FileError)?.path == path)
    }
}
