import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Tests in which the control file or the log of an open store is removed, renamed or given a second name.
///
/// See decision 0044.
@Suite(.serialized, .expectsIssues(.degraded)) struct DeviceStoreReplacedFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("s.larder") }
    private var control: String { path + ".ctl" }

    init() throws { directory = try TemporaryDirectory() }

    /// Returns options with which each store behaves as if it were in another process, without automatic maintenance.
    private func options(_ fileSystem: any FileSystem = .local) -> DeviceStoreOptions {
        var options = DeviceStoreOptions()
        options.environment.fileSystem = fileSystem
        options.environment.isAutomatic = false
        options.environment.isShared = false
        options.environment.lockLimit = .milliseconds(50)
        return options
    }

    private func open(_ path: String? = nil, on fileSystem: any FileSystem = .local) throws -> DeviceStore {
        try DeviceStore(path: path ?? self.path, options: options(fileSystem))
    }

    /// Checks that the store is intact and contains exactly the entries in `contents`.
    private func expectContents(_ contents: Contents, at path: String? = nil) throws {
        let store = try open(path)
        #expect(try store.contents() == contents)
        #expect(try store.verify().isIntact)
        try store.closeNow()
    }

    // MARK: Removed control files

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func commitsSurviveControlFileRemoval(io: DeviceStoreOptions.IO) throws {
        let state = directory.path("acknowledged")
        let acknowledged = try SharedNumber(at: state)
        for round in Int64(1)...5 {
            acknowledged.value = 0
            let helper = try HelperProcess("untilClosed", io, path, ["helper", state])
            try blockUntil("commits by the helper") { acknowledged.value > 100 }
            #expect(unlink(control) == 0)
            let store = try DeviceStore(path: path, options: .with(io))
            try store.set(.int(round), for: "here")
            _ = try helper.finish()
            #expect(try store.get("helper") == .int(acknowledged.value))
            try store.closeNow()
            try expectContents(["helper": .int(acknowledged.value), "here": .int(round)])
        }
    }

    @Test func openFailsWhileAnotherProcessUsesRemovedControlFile() throws {
        let survivor = try open()
        try survivor.set(1, for: "a")
        #expect(unlink(control) == 0)
        #expect(code { _ = try open() } == .busy)
        // The process has not detected the removal yet, and no other process writes in the meantime.
        try survivor.set(2, for: "a")
        survivor.maintain()
        #expect(code { _ = try survivor.get("a") } == .closed)
        #expect(code { try survivor.set(3, for: "a") } == .closed)
        #expect(code { try survivor.flushNow() } == .closed)
        #expect(code { try survivor.compact() } == .closed)
        try expectContents(["a": 2])
    }

    @Test func openFailsWhileAnotherProcessUsesReplacedControlFile() throws {
        let survivor = try open()
        try survivor.set(1, for: "a")
        #expect(rename(control, directory.path("aside")) == 0)
        try Data().write(to: URL(fileURLWithPath: control))
        #expect(code { _ = try open() } == .busy)
        try survivor.set(2, for: "a")
        survivor.maintain()
        #expect(code { try survivor.set(3, for: "a") } == .closed)
        try expectContents(["a": 2])
    }

    private var inode: UInt64? {
        get throws { try LocalFileSystem.local.information(at: path, followingLinks: false)?.inode }
    }

    /// Checks that the next opener rewrites everything to another file, because the kernel may show data that is not on the disk.
    @Test(arguments: [false, true])
    func logIsRewrittenIfSyncFailedBeforeControlFileRemoval(isClosed: Bool) throws {
        let disk = HeldDisk(.local, path)
        let failed = try open(on: disk)
        try failed.set(1, for: "a")
        disk.release(failing: FileError(.inputOutput, .synchronize, path))
        #expect(throws: StoreError.self) { try failed.flushNow() }
        let former = try inode
        #expect(unlink(control) == 0)
        #expect(code { _ = try open() } == .busy)
        if isClosed { try failed.closeNow() } else { failed.maintain() }
        try expectContents(["a": 1])
        #expect(try inode != former)
    }

    @Test func logRenamedAfterFailedSyncCanBeOpened() throws {
        let disk = HeldDisk(.local, path)
        let failed = try open(on: disk)
        try failed.set(1, for: "a")
        disk.release(failing: FileError(.inputOutput, .synchronize, path))
        #expect(throws: StoreError.self) { try failed.flushNow() }
        let other = directory.path("t.larder")
        #expect(rename(path, other) == 0)
        failed.maintain()
        try expectContents(["a": 1], at: other)
    }

    @Test func logIsRewrittenIfSyncFailedAfterControlFileRemoval() throws {
        let disk = HeldDisk(.local, path)
        let displaced = try open(on: disk)
        try displaced.set(1, for: "a")
        let former = try inode
        #expect(unlink(control) == 0)
        disk.release(failing: FileError(.inputOutput, .synchronize, path))
        displaced.maintain()
        #expect(code { try displaced.set(2, for: "a") } == .closed)
        try expectContents(["a": 1])
        #expect(try inode != former)
    }

    @Test func directoryReplacingControlFileIsReportedAndClosesStore() throws {
        let store = try open()
        try store.set(1, for: "a")
        #expect(unlink(control) == 0 && mkdir(control, 0o700) == 0)
        store.maintain()
        #expect(code { try store.set(2, for: "a") } == .closed)
        let error = #expect(throws: StoreError.self) { try open() }
        #expect((error?.underlying as? FileError)?.path == control)
        #expect(rmdir(control) == 0)
        try expectContents(["a": 1])
    }

    @Test func controlFileRemovalIsReported() throws {
        let issues = HeardIssues()
        try withIssueHandler(issues.add) {
            let store = try open()
            try store.set(1, for: "a")
            #expect(unlink(control) == 0)
            store.maintain()
            store.maintain()
        }
        #expect(issues.all.count == 1)
        #expect(issues.all.first?.message.contains(path) == true)
        try expectContents(["a": 1])
    }

    @Test func closedStoreCanBeOpenedAfterControlFileRemoval() throws {
        let closed = try open()
        try closed.set(1, for: "a")
        try closed.closeNow()
        #expect(unlink(control) == 0)
        try expectContents(["a": 1])
        withExtendedLifetime(closed) {}
    }

    @Test func sameProcessCanReopenStoreAfterControlFileRemoval() throws {
        var options = options()
        options.environment.isShared = true
        let first = try DeviceStore(path: path, options: options)
        try first.set(1, for: "a")
        #expect(unlink(control) == 0)
        let second = try DeviceStore(path: path, options: options)
        #expect(try second.get("a") == 1)
        try second.set(2, for: "a")
        #expect(code { try first.set(3, for: "a") } == .closed)
        try first.closeNow()
        try second.closeNow()
        try expectContents(["a": 2])
    }

    /// Lets no living process hold a lock on the log that the compaction put in place.
    @Test func staleInstanceClosesIfCompactedLogHasNewControlFile() throws {
        let (compactor, follower) = (try open(), try open())
        try compactor.set(1, for: "a")
        #expect(try follower.get("a") == 1)
        try compactor.compact()
        try compactor.set(2, for: "a")
        try compactor.closeNow()
        #expect(unlink(control) == 0)
        let store = try open()
        try store.set(3, for: "b")
        #expect(code { try follower.set(4, for: "c") } == .closed)
        #expect(code { _ = try follower.get("a") } == .closed)
        try store.set(5, for: "b")
        try store.closeNow()
        try expectContents(["a": 2, "b": 5])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func openThrowsBusyIfCompactedLogIsInUseWithoutControlFile(io: DeviceStoreOptions.IO) throws {
        let (compactor, follower) = (try open(), try open())
        try compactor.set(1, for: "a")
        try compactor.compact()
        #expect(try follower.get("a") == 1)
        try compactor.closeNow()
        #expect(unlink(control) == 0)
        #expect(code { _ = try open() } == .busy)
        try follower.set(2, for: "a")
        follower.maintain()
        #expect(code { try follower.set(3, for: "a") } == .closed)
        try expectContents(["a": 2])
    }

    /// Removes the control file between the last check of the names and the renaming.
    @Test func compactionDuringControlFileRemovalKeepsCommits() throws {
        try open().closeNow()
        let meddled = MeddledFileSystem(.renaming, path + LogFormat.newSuffix)
        let compactor = try open(on: meddled)
        for number in 0..<500 { try compactor.set(.int(Int64(number)), for: "a") }
        let path = path
        let options = options()
        let found = Mutex<StoreError.Code?>(nil)
        meddled.once {
            #expect(unlink(path + ".ctl") == 0)
            let code = code { _ = try DeviceStore(path: path, options: options) }
            found.withLock { $0 = code }
        }
        try compactor.compact()
        #expect(found.withLock(\.self) == .busy)
        try compactor.set(1, for: "b")
        #expect(code { _ = try open() } == .busy)
        compactor.maintain()
        #expect(code { try compactor.set(2, for: "b") } == .closed)
        try expectContents(["a": 499, "b": 1])
    }

    @Test func openRetriesIfControlFileIsReplaced() throws {
        try open().closeNow()
        let meddled = MeddledFileSystem(.opening, path)
        let (path, options) = (path, options())
        let other = Mutex<DeviceStore?>(nil)
        meddled.once {
            #expect(unlink(path + ".ctl") == 0)
            #expect(throws: Never.self) {
                let opened = try DeviceStore(path: path, options: options)
                try opened.set(1, for: "other")
                other.withLock { $0 = opened }
            }
        }
        let store = try open(on: meddled)
        let opened = other.withLock(\.self)
        let second = try #require(opened)
        try store.set(2, for: "mine")
        try second.set(3, for: "other")
        store.maintain()
        second.maintain()
        try store.set(4, for: "mine")
        #expect(try store.get("other") == 3)
        #expect(try second.get("mine") == 4)
        try store.closeNow()
        try second.closeNow()
        try expectContents(["mine": 4, "other": 3])
    }

    @Test func concurrentlyCreatedStoreIsNotReplaced() throws {
        let meddled = MeddledFileSystem(.syncing, path + ".larder-new")
        let (path, options) = (path, options())
        meddled.once {
            #expect(unlink(path + ".ctl") == 0)
            #expect(throws: Never.self) {
                let other = try DeviceStore(path: path, options: options)
                try other.set(1, for: "other")
                try other.closeNow()
            }
        }
        let store = try open(on: meddled)
        #expect(try store.get("other") == 1)
        try store.set(2, for: "mine")
        try store.closeNow()
        try expectContents(["mine": 2, "other": 1])
    }

    @Test func repairThrowsBusyWhileProcessUsesRemovedControlFile() throws {
        let survivor = try open()
        for number in 0..<10 { try survivor.set(.int(Int64(number)), for: "a") }
        let file = try LocalFileSystem.local.open(path, .writing)
        try file.write([UInt8](repeating: 0, count: 4096), at: 0)
        #expect(unlink(control) == 0)
        #expect(code { _ = try DeviceStore.repair(at: path, options: options()) } == .busy)
        silently { survivor.maintain() }
        #expect(code { try survivor.set(10, for: "a") } == .closed)
        #expect(try DeviceStore.repair(at: path, options: options()) != nil)
        try expectContents(["a": 9])
    }

    // MARK: Logs with a second name

    @Test func hardLinkedLogCannotBeOpenedForWriting() throws {
        let other = directory.path("other.larder")
        let store = try open()
        try store.set(1, for: "a")
        try store.closeNow()
        #expect(link(path, other) == 0)
        for name in [path, other] {
            let error = #expect(throws: StoreError.self) { try open(name) }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains(name) == true)
            #expect(code { _ = try DeviceStore.repair(at: name, options: options()) } == .invalidConfiguration)
        }
        var readOnly = options()
        readOnly.isReadOnly = true
        #expect(try DeviceStore(path: other, options: readOnly).get("a") == 1)
        #expect(unlink(other) == 0)
        try expectContents(["a": 1])
    }

    @Test func logHardLinkedWhileOpenIsNotCompacted() throws {
        let other = directory.path("other.larder")
        let store = try open()
        try store.set(1, for: "a")
        #expect(link(path, other) == 0)
        #expect(code { _ = try open(other) } == .invalidConfiguration)
        #expect(code { try store.compact() } == .invalidConfiguration)
        try store.set(2, for: "a")
        #expect(unlink(other) == 0)
        try store.compact()
        #expect(try store.verify().isIntact)
        try store.closeNow()
        try expectContents(["a": 2])
    }

    @Test func logHardLinkedDuringCompactionIsNotReplaced() throws {
        let other = directory.path("other.larder")
        let (path, store) = (path, try open())
        for number in 0..<500 { try store.set(.int(Int64(number)), for: "a") }
        let compact = { try store.compact { _ in _ = link(path, other) } }
        #expect(code { try compact() } == .invalidConfiguration)
        try store.set(1, for: "b")
        try store.closeNow()
        #expect(unlink(other) == 0)
        try expectContents(["a": 499, "b": 1])
    }

    /// Makes a snapshot of hard links, which includes the copy that is about to become the log.
    @Test func hardLinkedCompactedFileDoesNotReplaceLog() throws {
        let other = directory.path("other.larder")
        let (path, store) = (path, try open())
        for number in 0..<500 { try store.set(.int(Int64(number)), for: "a") }
        let compact = { try store.compact { _ in _ = link(path + ".larder-new", other) } }
        #expect(code { try compact() } == .invalidConfiguration)
        try store.set(1, for: "b")
        try store.compact()
        #expect(try store.verify().isIntact)
        try store.closeNow()
        try expectContents(["a": 499, "b": 1])
    }

    /// Opens a store in a container that mounts only the log.
    @Test(.enabled(if: HelperProcess.canMount))
    func logInUseCannotBeOpenedThroughAnotherMountPoint() throws {
        let store = try open()
        try store.set(1, for: "a")
        let mounted = directory.path("container/s.larder")
        func openElsewhere() throws -> String {
            try HelperProcess(withFile: path, mountedAt: mounted, "opening", .mapped).finish()
        }
        #expect(try openElsewhere() == "busy\n")
        try store.set(2, for: "a")
        try store.closeNow()
        #expect(try openElsewhere() == "opened\n")
        try expectContents(["a": 2])
    }

    @Test func renamedLogCanBeOpenedAfterFirstProcessDetectsRename() throws {
        let other = directory.path("other.larder")
        let survivor = try open()
        try survivor.set(1, for: "a")
        #expect(rename(path, other) == 0)
        #expect(code { _ = try open(other) } == .busy)
        try survivor.set(2, for: "a")
        survivor.maintain()
        #expect(code { try survivor.set(3, for: "a") } == .closed)
        try expectContents(["a": 2], at: other)
    }

    @Test func renamingFolderClosesStoreAndKeepsCommits() throws {
        let (folder, renamed) = (directory.path("folder"), directory.path("renamed"))
        let survivor = try open(folder + "/s.larder")
        try survivor.set(1, for: "a")
        #expect(rename(folder, renamed) == 0)
        // Both names lead to the same control file.
        let store = try open(renamed + "/s.larder")
        try survivor.set(2, for: "a")
        try store.set(3, for: "b")
        #expect(code { try survivor.compact() } == .closed)
        #expect(code { try survivor.set(4, for: "a") } == .closed)
        try store.compact()
        #expect(try store.contents() == ["a": 2, "b": 3])
        try store.closeNow()
        try expectContents(["a": 2, "b": 3], at: renamed + "/s.larder")
    }

    @Test func storeClosesAfterCompactionInRenamedFolder() throws {
        let (folder, renamed) = (directory.path("folder"), directory.path("renamed"))
        let survivor = try open(folder + "/s.larder")
        try survivor.set(1, for: "a")
        #expect(rename(folder, renamed) == 0)
        let store = try open(renamed + "/s.larder")
        try store.compact()
        #expect(code { _ = try survivor.get("a") } == .closed)
        #expect(code { try survivor.set(2, for: "a") } == .closed)
        try store.closeNow()
        try expectContents(["a": 1], at: renamed + "/s.larder")
    }
}
