import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

/// Tests in which the file of an open store is removed or replaced.
@Suite(.expectsIssues(.degraded)) struct DeviceStoreRemovalTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path("s.larder") }

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> DeviceStore {
        var options = DeviceStoreOptions()
        options.environment.isAutomatic = false
        // Behaves as if it were in another process.
        options.environment.isShared = false
        return try DeviceStore(path: path, options: options)
    }

    @Test func compactionOfRemovedStoreDoesNotOverwriteRecreatedStore() throws {
        let removed = try open()
        for number in 0..<2_000 { try removed.set(.int(Int64(number)), for: StoreKey("old.\(number % 500)")) }
        let made = Mutex<DeviceStore?>(nil)
        // The removed store detects the removal or abandons its compaction.
        do {
            try removed.compact { _ in
                made.withLock { made in
                    guard made == nil else { return }
                    #expect(throws: Never.self) {
                        try FileManager.default.removeItem(atPath: path)
                        made = try open()
                        try made?.set(1, for: "new")
                    }
                }
            }
        } catch {
            #expect(error is StoreError)
        }
        let found = made.withLock { $0 }
        let store = try #require(found)
        #expect(try store.contents() == ["new": 1])
        #expect(try store.verify().isIntact)
        #expect(try open().contents() == ["new": 1])
    }

    @Test(arguments: [[""], ["", ".ctl"]])
    func compactionOfRemovedStoreDoesNotOverwriteStoreBeingCreated(removing suffixes: [String]) throws {
        var options = DeviceStoreOptions()
        options.environment.isAutomatic = false
        options.environment.isShared = false
        // If the lock file is still the same one, the creator of the store holds its lock.
        options.environment.lockLimit = .milliseconds(50)
        let removed = try DeviceStore(path: path, options: options)
        for number in 0..<2_000 { try removed.set(.int(Int64(number)), for: StoreKey("old.\(number % 500)")) }
        for suffix in suffixes { try FileManager.default.removeItem(atPath: path + suffix) }
        let meddled = MeddledFileSystem(.syncing, path + ".larder-new")
        let outcome = Mutex<(any Error)?>(nil)
        meddled.once {
            do { try removed.compact() } catch { outcome.withLock { $0 = error } }
        }
        options.environment.fileSystem = meddled
        let store = try DeviceStore(path: path, options: options)
        #expect(outcome.withLock { $0 } is StoreError)
        try store.set(1, for: "new")
        #expect(try store.contents() == ["new": 1])
        #expect(try store.verify().isIntact)
        #expect(try open().contents() == ["new": 1])
    }

    /// The way in which the file of an open store is removed or replaced.
    enum Replacement: CaseIterable, Sendable { case removed, copied, moved }

    private func replace(_ how: Replacement) throws {
        let copy = directory.path("copy")
        switch how {
        case .removed: break
        // The copy has the same file identifier and generation.
        case .copied: try FileManager.default.copyItem(atPath: path, toPath: copy)
        case .moved:
            let other = try DeviceStore(path: copy, options: DeviceStoreOptions())
            try other.set(0, for: "other")
            try other.closeNow()
        }
        try FileManager.default.removeItem(atPath: path)
        if how != .removed { try FileManager.default.moveItem(atPath: copy, toPath: path) }
    }

    @Test(arguments: Replacement.allCases, [1, 500])
    func storeThrowsClosedAfterFileIsReplaced(how: Replacement, count: Int) throws {
        let former = try open()
        for number in 0..<count { try former.set(.int(Int64(number)), for: "old") }
        try replace(how)
        let store = try open()
        let before = try store.contents()
        try store.set(1, for: "new")
        #expect(code { try former.set(.string(String(repeating: "x", count: 999)), for: "x") } == .closed)
        #expect(code { _ = try former.get("old") } == .closed)
        #expect(code { try former.compact() } == .closed)
        #expect(code { try former.flushNow() } == .closed)
        #expect(try store.contents() == before.merging(["new": 1]) { $1 })
        try store.set(2, for: "new")
        #expect(code { _ = try former.get("new") } == .closed)
        #expect(try open().contents() == before.merging(["new": 2]) { $1 })
        #expect(try store.verify().isIntact)
    }

    /// Uses two logs that end at the same offset, so that only the identity of the file distinguishes them.
    @Test func storeDoesNotWriteToReplacementFileOfSameLength() throws {
        let former = try open()
        try former.set(1, for: "a")
        try replace(.removed)
        let store = try open()
        try store.set(2, for: "a")
        former.maintain()
        #expect(code { _ = try former.get("a") } == .closed)
        #expect(code { try former.set(3, for: "a") } == .closed)
        #expect(code { try former.compact() } == .closed)
        #expect(try open().contents() == ["a": 2])
        #expect(try store.verify().isIntact)
    }

    @Test func instanceOpenedBeforeRepairThrowsClosed() throws {
        let former = try open()
        for number in 0..<10 { try former.set(.int(Int64(number)), for: "a") }
        let file = try LocalFileSystem.local.open(path, .writing)
        try file.write([UInt8](repeating: 0, count: 4096), at: 0)
        _ = try #require(try DeviceStore.repair(at: path))
        let store = try open()
        #expect(try store.get("a") == 9)
        try store.set(10, for: "a")
        #expect(code { _ = try former.get("a") } == .closed)
        #expect(code { try former.set(11, for: "a") } == .closed)
        #expect(try open().contents() == ["a": 10])
        #expect(try store.verify().isIntact)
    }

    /// Kills a compaction before it announces its file.
    ///
    /// The file is the same store, so no process is notified.
    @Test func openAfterKilledCompactionDoesNotCloseOtherInstances() throws {
        let fixture = StoreFixture()
        let (witness, victim) = (try fixture.open(), try KilledCompaction(on: fixture))
        try victim.store.set(1, for: "a")
        victim.compact()
        try fixture.open().set(2, for: "a")
        #expect(try witness.get("a") == 2)
        try witness.set(3, for: "a")
        #expect(try fixture.open().contents() == ["a": 3])
        #expect(try witness.verify().isIntact)
    }

    @Test(arguments: [[""], [".ctl"], ["", ".ctl"]])
    func storeRemovedDuringCompactionStaysRemoved(suffixes: [String]) throws {
        let store = try open()
        for number in 0..<2_000 { try store.set(.int(Int64(number)), for: StoreKey("old.\(number % 500)")) }
        let isRemoved = Mutex(false)
        let compact = {
            try store.compact { _ in
                guard !isRemoved.withLock({ swap(&$0, true) }) else { return }
                #expect(throws: Never.self) {
                    for suffix in suffixes { try FileManager.default.removeItem(atPath: path + suffix) }
                }
            }
        }
        #expect(code { try compact() } == .closed)
        for suffix in suffixes { #expect(!FileManager.default.fileExists(atPath: path + suffix)) }
        #expect(code { try store.set(1, for: "a") } == .closed)
        let next = try open()
        #expect(try next.contents().count == (suffixes.contains("") ? 0 : 500))
        #expect(try next.verify().isIntact)
    }

    private func swap(_ value: inout Bool, _ new: Bool) -> Bool {
        defer { value = new }
        return value
    }
}
