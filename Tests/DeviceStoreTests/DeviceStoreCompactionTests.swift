import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTesting
import Synchronization
import Testing

/// Tests of commits while compaction fails.
@Suite struct DeviceStoreCompactionTests {
    private let time = ManualTimeSource()
    private let directory: TemporaryDirectory
    private let issues = Issues()
    private var newFile: String { directory.path("s.larder" + LogFormat.newSuffix) }

    init() throws { directory = try TemporaryDirectory() }

    private final class Issues: Sendable {
        private let all = Mutex<[LarderIssue]>([])

        @Sendable func add(_ issue: LarderIssue) { all.withLock { $0.append(issue) } }
        var count: Int { all.withLock(\.count) }
    }

    /// Makes enough commits for compaction to become due a hundred times.
    private func overwrite(_ store: DeviceStore) throws {
        try withIssueHandler(issues.add) {
            for number in 0..<2_000 { try store.set(.int(Int64(number)), for: "a") }
            for number in 0..<100 { try store.set(.string(String(repeating: "x", count: 1_000 + number)), for: "a") }
        }
    }

    /// Returns a store that can't be compacted, because a folder occupies the path of the temporary file.
    private func blockedStore() throws -> DeviceStore {
        var options = DeviceStoreOptions()
        options.environment.time = time
        options.environment.isAutomatic = false
        let store = try DeviceStore(path: directory.path("s.larder"), options: options)
        try LocalFileSystem.local.createDirectory(at: newFile)
        return store
    }

    @Test func commitsDoNotRetryFailedCompactionDuringBackoff() throws {
        let store = try blockedStore()
        try overwrite(store)
        #expect(issues.count == 1)
        #expect(try store.verify().isIntact)
    }

    @Test func failedCompactionBacksOffExponentially() throws {
        let store = try blockedStore()
        try overwrite(store)
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
            let before = issues.count
            time.advance(by: .seconds(seconds) - .milliseconds(1))
            try overwrite(store)
            #expect(issues.count == before, "too early, before \(seconds) s")
            time.advance(by: .milliseconds(1))
            try overwrite(store)
            #expect(issues.count == before + 1, "not after \(seconds) s")
        }
        #expect(try store.verify().isIntact)
    }

    @Test func compactionSucceedsAfterCauseOfFailureIsRemoved() throws {
        let store = try blockedStore()
        try overwrite(store)
        let large = try store.statistics().usedBytes
        try FileManager.default.removeItem(atPath: newFile)
        time.advance(by: .seconds(1))
        try overwrite(store)
        #expect(issues.count == 1)
        #expect(try store.statistics().usedBytes < large)
        #expect(try store.verify().isIntact)
    }

    @Test func explicitCompactionIgnoresBackoff() throws {
        let store = try blockedStore()
        try overwrite(store)
        #expect(throws: StoreError.self) { try store.compact() }
        try FileManager.default.removeItem(atPath: newFile)
        try store.compact()
        #expect(try store.get("a") == .string(String(repeating: "x", count: 1_099)))
        #expect(try store.verify().isIntact)
    }
}

/// Tests of a store in a folder in which the process may not create files.
@Suite struct DeviceStoreUnwritableFolderTests {
    private let time = ManualTimeSource()
    private let directory: TemporaryDirectory
    private let folder = UnwritableFolder()
    private let issues = HeardIssues()

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> DeviceStore {
        var options = DeviceStoreOptions()
        options.environment.time = time
        options.environment.isAutomatic = false
        options.environment.fileSystem = folder
        return try DeviceStore(path: directory.path("s.larder"), options: options)
    }

    private func overwrite(_ store: DeviceStore) throws {
        try withIssueHandler(issues.add) {
            for number in 0..<10_000 { try store.set(.int(Int64(number)), for: "a") }
        }
    }

    @Test func compactionWithoutPermissionIsReportedOnce() throws {
        let store = try open()
        folder.isWritable.store(false, ordering: .relaxed)
        for _ in 0..<5 {
            try overwrite(store)
            time.advance(by: .seconds(60))
        }
        let heard = issues.all
        #expect(heard.count == 1)
        #expect(heard.first?.message.contains(directory.path) == true)
        #expect(try store.statistics().compactionFailure == heard.first?.message)
        #expect(try store.inspectionFacts().contains { $0.name == "compaction failure" })
        #expect(try store.verify().isIntact)
    }

    @Test func compactionWithoutPermissionIsReportedAgainAfterSuccess() throws {
        let store = try open()
        for isWritable in [false, true, false] {
            folder.isWritable.store(isWritable, ordering: .relaxed)
            try overwrite(store)
            time.advance(by: .seconds(60))
        }
        #expect(issues.all.count == 2)
        folder.isWritable.store(true, ordering: .relaxed)
        try store.compact()
        #expect(try store.statistics().compactionFailure == nil)
        #expect(try store.verify().isIntact)
    }
}

/// Tests of compacting while another process compacts.
@Suite struct DeviceStoreConcurrentCompactionTests {
    private let fixture = StoreFixture()

    /// Acquires the compaction lock as another process would.
    private func otherProcess() throws -> any OpenFile {
        let file = try fixture.disk.open(
            StoreFixture.path + LogFormat.newSuffix,
            FileOpenMode(isWritable: true, creation: .ifMissing, followsLinks: false)
        )
        #expect(try file.lock(.exclusive, wait: false))
        return file
    }

    @Test func compactionThrowsBusyWhileAnotherProcessCompacts() throws {
        let store = try fixture.open()
        try store.set(.int(1), for: "a")
        let other = try otherProcess()
        #expect {
            try store.compact()
        } throws: {
            ($0 as? StoreError)?.code == .busy
        }
        try other.unlock()
        try store.compact()
        #expect(try store.get("a") == 1)
        #expect(try store.verify().isIntact)
    }

    @Test func commitsSucceedDuringCompactionByAnotherProcess() throws {
        let store = try fixture.open()
        let other = try otherProcess()
        for number in 0..<40 { try store.set(.string("\(number)" + String(repeating: "x", count: 10_000)), for: "a") }
        #expect(try store.statistics().usedBytes > 400_000)
        try other.unlock()
        try store.set(.int(1), for: "a")
        #expect(try store.statistics().usedBytes < 100_000)
        #expect(try store.verify().isIntact)
    }
}
