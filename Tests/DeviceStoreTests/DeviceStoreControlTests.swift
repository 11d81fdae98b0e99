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
#elseif canImport(Darwin)
import Darwin
#endif

/// Tests in which the control file of an open store is truncated.
@Suite(.serialized, .expectsIssues(.degraded)) struct DeviceStoreControlTests {
    enum Cut: String, CaseIterable {
        case cut
        /// The file is truncated and extended again, so that the mapping works but contains zeros.
        case regrown
    }

    let directory: TemporaryDirectory
    var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    private func options(_ io: DeviceStoreOptions.IO = .mapped) -> DeviceStoreOptions {
        var options = DeviceStoreOptions.with(io)
        options.environment.isAutomatic = false
        options.environment.isShared = false
        options.environment.lockLimit = .milliseconds(50)
        return options
    }

    static func cut(_ path: String, _ how: Cut) {
        #expect(truncate(path + ".ctl", 0) == 0)
        if how == .regrown { #expect(truncate(path + ".ctl", 4096) == 0) }
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, Cut.allCases)
    func controlFileTruncationStopsThreadsButKeepsCommits(io: DeviceStoreOptions.IO, how: Cut) throws {
        _ = try HelperProcess("cutControl", io, path, [how.rawValue]).finish()
        #expect(try DeviceStore(path: path).verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, Cut.allCases)
    func incrementsSurviveConcurrentControlFileTruncations(io: DeviceStoreOptions.IO, how: Cut) throws {
        let helpers = try (1...3).map { _ in try HelperProcess("countAndCut", io, path, ["200", how.rawValue]) }
        for helper in helpers { _ = try helper.finish() }
        let store = try DeviceStore(path: path)
        #expect(try store.get("counter") == 600)
        #expect(try store.verify().isIntact)
    }

    /// Truncates the page in which two openers are registered while both wait for a third process.
    @Test(arguments: Cut.allCases)
    func concurrentOpensDoNotBlockEachOther(how: Cut) throws {
        let survivor = try DeviceStore(path: path, options: options())
        try survivor.set(1, for: "a")
        Self.cut(path, .regrown)
        var patient = options()
        patient.environment.lockLimit = .seconds(10)
        let (path, waiting) = (path, patient)
        let found = Mutex<[StoreError.Code?]>([])
        let isDone = DispatchSemaphore(value: 0)
        for _ in 1...2 {
            Thread.detachNewThread {
                let code = code { _ = try DeviceStore(path: path, options: waiting) }
                found.withLock { $0.append(code) }
                isDone.signal()
            }
        }
        let control = try LocalFileSystem().open(path + ".ctl", .reading)
        // The surviving process is still the first member.
        try blockUntil("both wait") { try control.isHeld(2) && control.isHeld(3) }
        Self.cut(path, how)
        #expect(code { _ = try survivor.get("a") } == .closed)
        for _ in 1...2 { isDone.wait() }
        #expect(found.withLock { $0.allSatisfy { $0 != .busy } })
        let store = try DeviceStore(path: path, options: options())
        #expect(try store.get("a") == 1)
        #expect(try store.verify().isIntact)
    }

    @Test func existingSignalHandlerReceivesUnrelatedFaults() throws {
        let helper = try HelperProcess("otherSignals", .mapped, path)
        #expect(throws: HelperProcess.Failure.self) { try helper.finish() }
        #expect(helper.process.terminationStatus == 7)
        #expect(try DeviceStore(path: path).verify().isIntact)
    }

    @Test(arguments: Cut.allCases)
    func openThrowsBusyIfControlFileIsTruncatedWhileStoreIsOpen(how: Cut) throws {
        let survivor = try DeviceStore(path: path, options: options())
        try survivor.set(1, for: "a")
        Self.cut(path, how)
        #expect(code { _ = try DeviceStore(path: path, options: options()) } == .busy)
        #expect(code { _ = try survivor.get("a") } == .closed)
        let store = try DeviceStore(path: path, options: options())
        #expect(try store.get("a") == 1)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Cut.allCases)
    func openWaitsForActiveWriters(how: Cut) throws {
        let survivor = try DeviceStore(path: path, options: options())
        let last = Atomic<Int64>(0)
        let found = Mutex<StoreError.Code?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let code = code {
                for number in Int64(1)... {
                    try survivor.set(.int(number), for: "a")
                    last.store(number, ordering: .releasing)
                }
            }
            found.withLock { $0 = code }
            isDone.signal()
        }
        try blockUntil("commits") { last.load(ordering: .acquiring) > 10 }
        Self.cut(path, how)
        let store = try DeviceStore(path: path)
        isDone.wait()
        #expect(found.withLock(\.self) == .closed)
        #expect(try store.get("a") == .int(last.load(ordering: .acquiring)))
        #expect(try store.verify().isIntact)
    }

    /// Truncates the control file while a process holds the lock in it.
    ///
    /// No other commit may collide with the commit of that process.
    @Test(arguments: DeviceStoreOptions.IO.allCases, Cut.allCases)
    func activeCommitBlocksOtherWritersAfterControlFileTruncation(io: DeviceStoreOptions.IO, how: Cut) throws {
        try Self.expectCommitInProgressExcludesOthers(path, options(io), how)
    }

    /// Checks that no commit collides with a commit in progress, with the kind of lock that `others` selects.
    static func expectCommitInProgressExcludesOthers(
        _ path: String,
        _ others: DeviceStoreOptions,
        _ how: Cut
    ) throws {
        // Created in advance, so that the log is opened by its name.
        try DeviceStore(path: path, options: others).set(1, for: "a")
        let meddled = MeddledFileSystem(.writing, path, on: others.environment.fileSystem)
        var options = others
        options.environment.fileSystem = meddled
        let store = try DeviceStore(path: path, options: options)
        let found = Mutex<StoreError.Code?>(nil)
        meddled.once {
            cut(path, how)
            let code = code { _ = try DeviceStore(path: path, options: others) }
            found.withLock { $0 = code }
        }
        try store.set(2, for: "a")
        #expect(found.withLock(\.self) == .busy)
        #expect(code { _ = try store.get("a") } == .closed)
        #expect(code { try store.set(3, for: "a") } == .closed)
        let again = try DeviceStore(path: path, options: others)
        #expect(try again.get("a") == 2)
        #expect(try again.verify().isIntact)
    }

    @Test(arguments: Cut.allCases)
    func openFailsIfControlFileIsTruncatedConcurrently(how: Cut) throws {
        try DeviceStore(path: path, options: options()).set(1, for: "a")
        let meddled = MeddledFileSystem(.opening, path)
        var options = options()
        options.environment.fileSystem = meddled
        let path = path
        meddled.once { Self.cut(path, how) }
        #expect(code { _ = try DeviceStore(path: path, options: options) } == .closed)
        let store = try DeviceStore(path: path, options: options)
        #expect(try store.get("a") == 1)
        #expect(try store.verify().isIntact)
    }

    @Test func observersReceiveMissedEventAfterControlFileTruncation() throws {
        let store = try DeviceStore(path: path)
        let isTold = Atomic(false)
        let observation = store.observe(prefix: "") { event in
            if case .missed = event { isTold.store(true, ordering: .releasing) }
        }
        Self.cut(path, .cut)
        try blockUntil("observer told") { isTold.load(ordering: .acquiring) }
        observation.cancel()
        #expect(code { _ = try store.get("a") } == .closed)
        try store.closeNow()
        #expect(try DeviceStore(path: path).verify().isIntact)
    }

    @Test func closeAfterControlFileTruncationKeepsCommits() throws {
        let store = try DeviceStore(path: path, options: options())
        try store.set(1, for: "a")
        Self.cut(path, .cut)
        #expect(code { try store.closeNow() } == .closed)
        let again = try DeviceStore(path: path, options: options())
        #expect(try again.get("a") == 1)
        #expect(try again.verify().isIntact)
    }

    @Test func readOnlyStoreIgnoresControlFileTruncation() throws {
        try DeviceStore(path: path, options: options()).set(1, for: "a")
        var options = options()
        options.isReadOnly = true
        let reader = try DeviceStore(path: path, options: options)
        Self.cut(path, .cut)
        #expect(try reader.get("a") == 1)
        #expect(try DeviceStore(path: path, options: options).get("a") == 1)
        #expect(try reader.verify().isIntact)
    }

    #if os(Linux)
    /// Checks that an opening that fails releases its member lock, because other processes assume that a living member might still write.
    @Test func failedOpenReleasesLockDespiteDuplicatedDescriptor() throws {
        try DeviceStore(path: path, options: options()).close()
        let meddled = MeddledFileSystem(.opening, path)
        let path = path
        let copy = Mutex<DescriptorCopy?>(nil)
        meddled.once {
            #expect(throws: Never.self) {
                let made = try DescriptorCopy(of: path + ".ctl")
                copy.withLock { $0 = made }
            }
            #expect(truncate(path, 1) == 0)
        }
        var options = options()
        options.environment.fileSystem = meddled
        #expect(code { _ = try DeviceStore(path: path, options: options) } == .damaged)
        let control = try LocalFileSystem().open(path + ".ctl", .reading)
        #expect(try control.anyHeld(1..<100) == nil)
        copy.withLock { $0 = nil }
    }
    #endif

    /// Checks that closing releases the locks, which belong to an open file that the mapping would otherwise keep open.
    @Test func closeReleasesLockDespiteMemoryMapping() throws {
        let closed = try DeviceStore(path: path, options: options())
        try closed.set(1, for: "a")
        try closed.closeNow()
        Self.cut(path, .regrown)
        let store = try DeviceStore(path: path, options: options())
        #expect(try store.get("a") == 1)
        #expect(try store.verify().isIntact)
        withExtendedLifetime(closed) {}
    }
}

/// Returns the code of the error that `call` throws, or `nil` if it succeeds.
func code(_ call: () throws -> Void) -> StoreError.Code? {
    do { try call() } catch { return (error as? StoreError)?.code }
    return nil
}
