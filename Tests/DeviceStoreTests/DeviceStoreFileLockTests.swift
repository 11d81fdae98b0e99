import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

/// Tests in which the control file of an open store is truncated on a file system with file locks.
@Suite(.serialized, .expectsIssues(.degraded)) struct DeviceStoreFileLockTests {
    typealias Cut = DeviceStoreControlTests.Cut

    let directory: TemporaryDirectory
    var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    private func options(_ fileSystem: any FileSystem = PretendedNetwork()) -> DeviceStoreOptions {
        var options = DeviceStoreOptions()
        options.allowsNetworkFileSystem = true
        options.environment.fileSystem = fileSystem
        options.environment.isAutomatic = false
        options.environment.isShared = false
        options.environment.lockLimit = .milliseconds(50)
        return options
    }

    private func cut(_ how: Cut) { DeviceStoreControlTests.cut(path, how) }

    @Test(arguments: Cut.allCases)
    func controlFileTruncationStopsThreadsButKeepsCommits(how: Cut) throws {
        _ = try HelperProcess("cutControl", .systemCalls, isOnNetwork: true, path, [how.rawValue]).finish()
        #expect(try DeviceStore(path: path, options: options()).verify().isIntact)
    }

    @Test(arguments: Cut.allCases)
    func incrementsSurviveConcurrentControlFileTruncations(how: Cut) throws {
        let helpers = try (1...3).map { _ in
            try HelperProcess("countAndCut", .systemCalls, isOnNetwork: true, path, ["200", how.rawValue])
        }
        for helper in helpers { _ = try helper.finish() }
        let store = try DeviceStore(path: path, options: options())
        #expect(try store.get("counter") == 600)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Cut.allCases)
    func storeFailsAfterControlFileTruncationAndCanBeReopened(how: Cut) throws {
        let store = try DeviceStore(path: path, options: options())
        try store.set(1, for: "a")
        cut(how)
        #expect(code { _ = try store.get("a") } == .closed)
        #expect(code { try store.set(2, for: "a") } == .closed)
        let again = try DeviceStore(path: path, options: options())
        #expect(try again.get("a") == 1)
        #expect(try again.verify().isIntact)
    }

    /// Checks that the file lock still works and that both processes share the page.
    @Test(arguments: Cut.allCases)
    func concurrentOpensSucceedAfterControlFileTruncation(how: Cut) throws {
        let survivor = try DeviceStore(path: path, options: options())
        try survivor.set(1, for: "a")
        cut(how)
        let store = try DeviceStore(path: path, options: options())
        #expect(try store.get("a") == 1)
        try store.set(2, for: "a")
        #expect(try survivor.get("a") == 2)
        try survivor.set(3, for: "a")
        try store.compact()
        try survivor.set(4, for: "b")
        #expect(try store.entries(prefix: "").map(\.value) == [3, 4])
        #expect(try survivor.entries(prefix: "").map(\.value) == [3, 4])
        try survivor.closeNow()
        try store.closeNow()
        #expect(try DeviceStore(path: path, options: options()).verify().isIntact)
    }

    @Test(arguments: Cut.allCases)
    func activeCommitBlocksOtherWritersAfterControlFileTruncation(how: Cut) throws {
        try DeviceStoreControlTests.expectCommitInProgressExcludesOthers(path, options(), how)
    }

    private func openWhileItIsCut(_ how: Cut) throws -> DeviceStore {
        try DeviceStore(path: path, options: options()).set(1, for: "a")
        let meddled = MeddledFileSystem(.opening, path, on: PretendedNetwork())
        let path = path
        meddled.once { DeviceStoreControlTests.cut(path, how) }
        return try DeviceStore(path: path, options: options(meddled))
    }

    @Test func openFailsIfControlFileIsTruncatedConcurrently() throws {
        #expect(code { _ = try openWhileItIsCut(.cut) } == .closed)
        let store = try DeviceStore(path: path, options: options())
        #expect(try store.get("a") == 1)
        #expect(try store.verify().isIntact)
    }

    /// Checks that the page can be initialized, because the file lock still works.
    @Test func openSucceedsIfControlPageIsRecreatedConcurrently() throws {
        let store = try openWhileItIsCut(.regrown)
        let other = try DeviceStore(path: path, options: options())
        try store.set(2, for: "a")
        #expect(try other.get("a") == 2)
        #expect(try other.verify().isIntact)
    }

    @Test func closeAfterControlFileTruncationKeepsCommits() throws {
        let store = try DeviceStore(path: path, options: options())
        try store.set(1, for: "a")
        cut(.cut)
        #expect(code { try store.closeNow() } == .closed)
        let again = try DeviceStore(path: path, options: options())
        #expect(try again.get("a") == 1)
        #expect(try again.verify().isIntact)
    }

    @Test func observerReceivesMissedEventAfterControlFileTruncation() throws {
        var options = options()
        options.environment.isAutomatic = true
        options.environment.isShared = true
        let store = try DeviceStore(path: path, options: options)
        let isTold = Atomic(false)
        let observation = store.observe(prefix: "") { event in
            if case .missed = event { isTold.store(true, ordering: .releasing) }
        }
        cut(.cut)
        try blockUntil("observer told") { isTold.load(ordering: .acquiring) }
        observation.cancel()
        #expect(code { _ = try store.get("a") } == .closed)
        try store.closeNow()
        #expect(try DeviceStore(path: path, options: options).verify().isIntact)
    }
}
