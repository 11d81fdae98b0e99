import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// What a progress handler may do with the store that it is told about.
@Suite struct DeviceStoreProgressTests {
    /// What tells a handler how far it is.
    enum Told: CaseIterable, Sendable {
        case compaction
        case backup

        /// Where the copy is.
        private static let copy = "/data/copy.larder"

        func begin(_ store: DeviceStore, progress: @Sendable (StoreProgress) -> Void = { _ in }) throws {
            switch self {
            case .compaction: try store.compact(progress: progress)
            case .backup: try store.backup(to: Self.copy, progress: progress)
            }
        }

        /// The same without anybody to be told.
        func beginSilently(_ store: DeviceStore) throws {
            switch self {
            case .compaction: try store.compact()
            case .backup: try store.backup(to: Self.copy)
            }
        }

        /// The store that was copied.
        func contents(_ lying: LyingStore) throws -> Contents? {
            guard self == .backup else { return nil }
            let copy = try DeviceStore(path: Self.copy, options: lying.options())
            #expect(try copy.verify().isIntact)
            return try copy.contents()
        }
    }

    /// What calls came to that a handler made.
    private final class Answer: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let errors = Mutex<[any Error]>([])

        /// Runs `body` on a thread of its own and waits for it; an issue when it does not come back.
        func wait(for body: @escaping @Sendable () throws -> Void) {
            Thread.detachNewThread { [self] in
                note(body)
                semaphore.signal()
            }
            if semaphore.wait(timeout: .now() + 20) == .timedOut { Issue.record("the other thread is stuck") }
        }

        /// Runs `body` on this thread.
        func note(_ body: () throws -> Void) {
            do { try body() } catch { errors.withLock { $0.append(error) } }
        }

        var codes: [StoreError.Code] { errors.withLock { $0.compactMap { ($0 as? StoreError)?.code } } }
        var count: Int { errors.withLock(\.count) }
    }

    private let lying = LyingStore()

    private func store(isAutomatic: Bool = false) throws -> DeviceStore {
        let store = try lying.open { $0.environment.isAutomatic = isAutomatic }
        try store.set(.string("kept"), for: "kept")
        return store
    }

    /// How many commits ``outgrow(_:)`` makes.
    private static let commits = 40

    /// Commits more than may lie in a small store.
    @Sendable private static func outgrow(_ store: DeviceStore) throws {
        for number in 0..<commits {
            try store.set(.string("\(number)" + String(repeating: "x", count: 10_000)), for: "large")
        }
    }

    /// The last of them.
    private static let last = StoredValue.string("\(commits - 1)" + String(repeating: "x", count: 10_000))

    @Test(arguments: Told.allCases, [false, true])
    func itMayCommitMoreThanMayLieInTheStore(_ told: Told, _ isAutomatic: Bool) throws {
        let store = try store(isAutomatic: isAutomatic)
        let answer = Answer()
        try told.begin(store) { _ in answer.note { try Self.outgrow(store) } }
        #expect(answer.count == 0)
        #expect(try store.get("large") == Self.last)
        let copied = try told.contents(lying)
        #expect(copied == nil || copied == ["kept": "kept", "large": Self.last])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases)
    func whatItCommittedIsCompactedOnceItIsDone(_ told: Told) throws {
        let store = try store()
        let answer = Answer()
        try told.begin(store) { _ in answer.note { try Self.outgrow(store) } }
        #expect(answer.count == 0)
        #expect(try store.statistics().usedBytes < 100_000)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases)
    func itMayCommitOnAFullDisk(_ told: Told) throws {
        let store = try store()
        let disk = lying.disk
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
    func itMayWaitForAnotherThreadThatCommits(_ told: Told, _ isAutomatic: Bool) throws {
        let store = try store(isAutomatic: isAutomatic)
        let answer = Answer()
        try told.begin(store) { _ in answer.wait { try Self.outgrow(store) } }
        #expect(answer.count == 0)
        #expect(try store.get("large") == Self.last)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases, Told.allCases)
    func anotherCompactionOrBackupThrowsBusyMeanwhile(_ told: Told, _ other: Told) throws {
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
    func soDoesOneOnAnotherThreadThatItWaitsFor(_ told: Told, _ other: Told) throws {
        let store = try store()
        let answer = Answer()
        try told.begin(store) { _ in answer.wait { try other.beginSilently(store) } }
        #expect(answer.codes == [.busy])
        #expect(try store.contents() == ["kept": "kept"])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases)
    func anotherOneAfterOneThatFailedIsMade(_ told: Told) throws {
        let store = try store()
        let disk = lying.disk
        #expect(throws: StoreError.self) {
            try told.begin(store) { _ in disk.fail(at: disk.operationCount, errno: ENOSPC, forever: false, writing: 0) }
        }
        try told.begin(store)
        #expect(try store.contents() == ["kept": "kept"])
        #expect(try store.verify().isIntact)
    }

    // MARK: Verification

    private func damageFirstCommit() throws {
        let file = try lying.disk.open(LyingStore.path, .writing)
        // Behind the header and the beginning of the first frame.
        let offset = 4_096 + 20
        try file.write(file.read(at: offset, count: 1).map { ~$0 }, at: offset)
    }

    @Test(arguments: [false, true])
    func handlerOfVerifyMayWrite(isAutomatic: Bool) throws {
        let store = try store(isAutomatic: isAutomatic)
        let answer = Answer()
        let isIntact = Mutex<Bool?>(nil)
        // On a thread of its own: one that waits for itself ends no test otherwise.
        answer.wait {
            let result = try store.verify { _ in answer.note { try Self.outgrow(store) } }
            isIntact.withLock { $0 = result.isIntact }
        }
        #expect(answer.count == 0)
        // Else the thread has the store for good.
        try #require(isIntact.withLock { $0 } == true)
        #expect(try store.contents() == ["kept": "kept", "large": Self.last])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: [false, true])
    func handlerOfVerifyMayWaitForAnotherThreadThatCommits(isAutomatic: Bool) throws {
        let store = try store(isAutomatic: isAutomatic)
        let answer = Answer()
        let result = try store.verify { _ in answer.wait { try Self.outgrow(store) } }
        #expect(result.isIntact)
        #expect(answer.count == 0)
        #expect(try store.contents() == ["kept": "kept", "large": Self.last])
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: Told.allCases)
    func handlerOfVerifyMayCompactAndBackUp(_ other: Told) throws {
        let store = try store()
        let answer = Answer()
        let isFirst = Atomic(true)
        let result = try store.verify { _ in
            // A backup that is there already is not replaced.
            guard other == .compaction || isFirst.exchange(false, ordering: .relaxed) else { return }
            answer.wait { try other.begin(store) }
        }
        #expect(result.isIntact)
        #expect(result.checkedEntries == 1)
        #expect(answer.count == 0)
        #expect(try store.verify().isIntact)
    }

    @Test func damageIsFoundThoughTheHandlerOfVerifyWrites() throws {
        let store = try store()
        for number in 0..<100 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        try damageFirstCommit()
        let answer = Answer()
        let result = try store.verify { _ in answer.wait { try store.set(.int(1), for: "more") } }
        #expect(!result.isIntact)
        #expect(answer.count == 0)
    }

    @Test func handlerOfVerifyMayCloseTheStore() throws {
        let store = try store()
        let answer = Answer()
        let error = #expect(throws: StoreError.self) {
            try store.verify { _ in answer.wait { try store.closeNow() } }
        }
        #expect(error?.code == .closed)
        #expect(answer.count == 0)
        #expect(try lying.open().verify().isIntact)
    }

    /// The repair holds the lock between processes, so that nobody writes to what it copies.
    @Test func handlerOfRepairIsRefusedTheStore() throws {
        do {
            let store = try store()
            try store.setSynced(.int(1), for: "synced")
            try store.closeNow()
        }
        try damageFirstCommit()
        let answer = Answer()
        var options = lying.options()
        options.environment.lockLimit = .milliseconds(20)
        let damage = try DeviceStore.repair(at: LyingStore.path, options: options) { [options] _ in
            answer.wait { _ = try DeviceStore(path: LyingStore.path, options: options) }
        }
        #expect(damage != nil)
        #expect(answer.codes == [.busy])
        #expect(try lying.open().verify().isIntact)
    }

    @Test(arguments: Told.allCases)
    func itMayVerify(_ told: Told) throws {
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
}
