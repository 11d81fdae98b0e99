import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of the calls that a progress handler may make to the store.
@Suite struct DeviceStoreProgressTests {
    /// The operations that call a progress handler.
    enum Told: CaseIterable, Sendable {
        case compaction
        case backup

        /// The path of the copy.
        static let copy = "/data/copy.larder"

        func begin(_ store: DeviceStore, progress: @Sendable (StoreProgress) -> Void = { _ in }) throws {
            switch self {
            case .compaction: try store.compact(progress: progress)
            case .backup: try store.backup(to: Self.copy, progress: progress)
            }
        }

        /// Starts the operation without a progress handler.
        func beginSilently(_ store: DeviceStore) throws {
            switch self {
            case .compaction: try store.compact()
            case .backup: try store.backup(to: Self.copy)
            }
        }

        /// Returns the content of the copied store, or `nil` if the operation makes no copy.
        func contents(_ fixture: StoreFixture) throws -> Contents? {
            guard self == .backup else { return nil }
            let copy = try DeviceStore(path: Self.copy, options: fixture.options())
            #expect(try copy.verify().isIntact)
            return try copy.contents()
        }
    }

    /// The results of the calls that a handler made.
    private final class Answer: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let errors = Mutex<[any Error]>([])

        /// Runs `body` on another thread and waits for it.
        ///
        /// Records an issue if that takes too long.
        func wait(for body: @escaping @Sendable () throws -> Void) {
            Thread.detachNewThread { [self] in
                note(body)
                semaphore.signal()
            }
            if semaphore.wait(timeout: .now() + 20) == .timedOut { Issue.record("the other thread is stuck") }
        }

        /// Runs `body` on this thread and records its result.
        func note(_ body: () throws -> Void) {
            do { try body() } catch { errors.withLock { $0.append(error) } }
        }

        var codes: [StoreError.Code] { errors.withLock { $0.compactMap { ($0 as? StoreError)?.code } } }
        var count: Int { errors.withLock(\.count) }
    }

    private let fixture = StoreFixture()

    private func store(isAutomatic: Bool = false) throws -> DeviceStore {
        let store = try fixture.open { $0.environment.isAutomatic = isAutomatic }
        try store.set(.string("kept"), for: "kept")
        return store
    }

    /// The number of commits that ``outgrow(_:)`` makes.
    private static let commits = 40

    /// Makes more commits than the size limit of a small store allows without compaction.
    @Sendable private static func outgrow(_ store: DeviceStore) throws {
        for number in 0..<commits {
            try store.set(.string("\(number)" + String(repeating: "x", count: 10_000)), for: "large")
        }
    }

    /// The last value that ``outgrow(_:)`` sets.
    private static let last = StoredValue.string("\(commits - 1)" + String(repeating: "x", count: 10_000))

    @Test(arguments: Told.allCases, [false, true])
    func progressHandlerCanCommitBeyondCompactionThreshold(_ told: Told, _ isAutomatic: Bool) throws {
        let store = try store(isAutomatic: isAutomatic)
        let answer = Answer()
        try told.begin(store) { _ in answer.note { try Self.outgrow(store) } }
        #expect(answer.count == 0)
        #expect(try store.get("large") == Self.last)
        let copied = try told.contents(fixture)
        #expect(copied == nil || copied == ["kept": "kept", "large": Self.last])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases)
    func progressHandlerCommitsAreCompactedAfterwards(_ told: Told) throws {
        let store = try store()
        let answer = Answer()
        try told.begin(store) { _ in answer.note { try Self.outgrow(store) } }
        #expect(answer.count == 0)
        #expect(try store.statistics().usedBytes < 100_000)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases)
    func progressHandlerCanCommitOnFullDisk(_ told: Told) throws {
        let store = try store()
        let disk = fixture.disk
        let answer = Answer()
        try told.begin(store) { _ in
            answer.note {
                disk.fail(at: disk.operationCount, errno: ENOSPC, forever: false, writing: 0)
                try store.set(.int(1), for: "more")
            }
        }
        #expect(answer.codes == [.diskFull])
        #expect(try store.contents() == ["kept": "kept"])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases, [false, true])
    func progressHandlerCanWaitForCommittingThread(_ told: Told, _ isAutomatic: Bool) throws {
        let store = try store(isAutomatic: isAutomatic)
        let answer = Answer()
        try told.begin(store) { _ in answer.wait { try Self.outgrow(store) } }
        #expect(answer.count == 0)
        #expect(try store.get("large") == Self.last)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases, Told.allCases)
    func compactionOrBackupInProgressHandlerThrowsBusy(_ told: Told, _ other: Told) throws {
        let store = try store()
        let answer = Answer()
        try told.begin(store) { _ in
            answer.note { try other.begin(store) }
            answer.note { try other.beginSilently(store) }
        }
        #expect(answer.codes == [.busy, .busy])
        #expect(try store.contents() == ["kept": "kept"])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases, Told.allCases)
    func otherThreadCannotCompactOrBackUpDuringProgressHandler(_ told: Told, _ other: Told) throws {
        let store = try store()
        let answer = Answer()
        try told.begin(store) { _ in answer.wait { try other.beginSilently(store) } }
        #expect(answer.codes == [.busy])
        #expect(try store.contents() == ["kept": "kept"])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases)
    func compactionOrBackupSucceedsAfterEarlierFailure(_ told: Told) throws {
        let store = try store()
        let disk = fixture.disk
        #expect(throws: StoreError.self) {
            try told.begin(store) { _ in disk.fail(at: disk.operationCount, errno: ENOSPC, forever: false, writing: 0) }
        }
        try told.begin(store)
        #expect(try store.contents() == ["kept": "kept"])
        #expect(try store.verify().isIntact)
    }

    // MARK: Verification

    private func damageFirstCommit() throws {
        let file = try fixture.disk.open(StoreFixture.path, .writing)
        // An offset after the header and the beginning of the first frame.
        let offset = 4_096 + 20
        try file.write(file.read(at: offset, count: 1).map { ~$0 }, at: offset)
    }

    @Test(arguments: [false, true])
    func verifyProgressHandlerCanWrite(isAutomatic: Bool) throws {
        let store = try store(isAutomatic: isAutomatic)
        let answer = Answer()
        let isIntact = Mutex<Bool?>(nil)
        // Runs on another thread, because a deadlock would otherwise block the test.
        answer.wait {
            let result = try store.verify { _ in answer.note { try Self.outgrow(store) } }
            isIntact.withLock { $0 = result.isIntact }
        }
        #expect(answer.count == 0)
        // Otherwise, the thread never releases the store.
        try #require(isIntact.withLock { $0 } == true)
        #expect(try store.contents() == ["kept": "kept", "large": Self.last])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: [false, true])
    func verifyProgressHandlerCanWaitForCommittingThread(isAutomatic: Bool) throws {
        let store = try store(isAutomatic: isAutomatic)
        let answer = Answer()
        let result = try store.verify { _ in answer.wait { try Self.outgrow(store) } }
        #expect(result.isIntact)
        #expect(answer.count == 0)
        #expect(try store.contents() == ["kept": "kept", "large": Self.last])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases)
    func verifyProgressHandlerCanCompactAndBackUp(_ other: Told) throws {
        let store = try store()
        let answer = Answer()
        let isFirst = Atomic(true)
        let result = try store.verify { _ in
            // An existing backup is not replaced.
            guard other == .compaction || isFirst.exchange(false, ordering: .relaxed) else { return }
            answer.wait { try other.begin(store) }
        }
        #expect(result.isIntact)
        #expect(result.checkedEntries == 1)
        #expect(answer.count == 0)
        #expect(try store.verify().isIntact)
    }

    @Test func verifyFindsCorruptionWhileProgressHandlerWrites() throws {
        let store = try store()
        for number in 0..<100 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        try damageFirstCommit()
        let answer = Answer()
        let result = try store.verify { _ in answer.wait { try store.set(.int(1), for: "more") } }
        #expect(!result.isIntact)
        #expect(answer.count == 0)
    }

    @Test func verifyProgressHandlerCanCloseStore() throws {
        let store = try store()
        let answer = Answer()
        let error = #expect(throws: StoreError.self) {
            try store.verify { _ in answer.wait { try store.closeNow() } }
        }
        #expect(error?.code == .closed)
        #expect(answer.count == 0)
        #expect(try fixture.open().verify().isIntact)
    }

    /// Checks that the repair holds the lock between processes, so that no process writes to the file that is being copied.
    @Test func repairProgressHandlerCannotUseStore() throws {
        do {
            let store = try store()
            try store.setSynced(.int(1), for: "synced")
            try store.closeNow()
        }
        try damageFirstCommit()
        let answer = Answer()
        var options = fixture.options()
        options.environment.lockLimit = .milliseconds(20)
        let damage = try DeviceStore.repair(at: StoreFixture.path, options: options) { [options] _ in
            answer.wait { _ = try DeviceStore(path: StoreFixture.path, options: options) }
        }
        #expect(damage != nil)
        #expect(answer.codes == [.busy])
        #expect(try fixture.open().verify().isIntact)
    }

    @Test(arguments: Told.allCases)
    func progressHandlerCanVerifyStore(_ told: Told) throws {
        let store = try store()
        let answer = Answer()
        try told.begin(store) { _ in
            answer.note {
                let isIntact = try store.verify().isIntact
                #expect(isIntact)
            }
        }
        #expect(answer.count == 0)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases)
    func commitsDuringCanceledOperationAreCompactedAfterwards(_ told: Told) throws {
        let store = try store()
        let name = told == .compaction ? "compact" : "backup"
        let action = try #require(store.inspectionActions.first { $0.name == name })
        #expect(throws: CancellationError.self) {
            try store.perform(action, writingTo: told == .backup ? Told.copy : nil) { _ in
                try Self.outgrow(store)
                throw CancellationError()
            }
        }
        #expect(try store.statistics().usedBytes < 100_000)
        #expect(try store.verify().isIntact)
    }
}
