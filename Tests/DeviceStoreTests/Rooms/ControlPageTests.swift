import Foundation
import LarderCore
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderDeviceStore
@testable import LarderFiles

/// Tests of the control page's words in memory that no other process shares.
@Suite struct ControlPageTests {
    /// Memory for a control page that is filled with zeros.
    private final class Memory {
        let page: ControlPage

        init() {
            let base = UnsafeMutableRawPointer.allocate(byteCount: LogFormat.Control.size, alignment: 4096)
            base.initializeMemory(as: UInt8.self, repeating: 0, count: LogFormat.Control.size)
            page = ControlPage(base, nil)
        }

        deinit { page.base.deallocate() }
    }

    private let memory = Memory()
    private var page: ControlPage { memory.page }

    private func log(generation: UInt64 = 1) throws -> DeviceLog {
        let disk = SimulatedFileSystem(directories: ["/data"])
        let mode = FileOpenMode(isWritable: true, creation: .ifMissing, followsLinks: false)
        var header = LogHeader.new()
        header.generation = generation
        return try DeviceLog(file: disk.open("/data/s.larder", mode), header: header, needsFolderSync: false)
    }

    @Test func zeroedControlPageIsTreatedAsLost() {
        #expect(page.isLost)
        page[LogFormat.Control.magicField] = 1
        #expect(page.isLost)
        page[LogFormat.Control.stateWord] = 1
        #expect(!page.isLost)
    }

    @Test func controlPageDetectsPendingCommitsAndFailures() {
        let word = StateWord(generation: 1, end: 4096)
        page.stateWord.pointee.store(word.rawValue, ordering: .releasing)
        #expect(page.isQuiet(0, word))
        page.pendingEnd = 5000
        #expect(!page.isQuiet(0, word))
        page.pendingEnd = 0
        page.noteFailure()
        #expect(!page.isQuiet(0, word))
        #expect(page.isQuiet(1, word))
        #expect(!page.isQuiet(1, StateWord(generation: 1, end: 8192)))
    }

    @Test func controlPageKeepsLatestFailedGeneration() {
        page.noteFailure(of: 3)
        page.noteFailure(of: 2)
        #expect(page.failures == 2)
        #expect(page[LogFormat.Control.failedGeneration] == 3)
    }

    @Test func syncedPositionInControlPageNeverDecreases() {
        page.noteConfirmed(StateWord(generation: 1, end: 8192), generation: 1)
        page.noteConfirmed(StateWord(generation: 1, end: 4096), generation: 1)
        #expect(page.syncedWord.end == 8192)
        page.noteConfirmed(StateWord(generation: 2, end: 4096), generation: 2)
        #expect(page.syncedWord == StateWord(generation: 2, end: 4096))
    }

    @Test func replacementLogOfSameGenerationIsDetected() throws {
        let log = try log()
        page.noteFile(of: log)
        page.stateWord.pointee.store(StateWord(generation: 1, end: 4096).rawValue, ordering: .releasing)
        #expect(!page.isReplaced(log))
        page[LogFormat.Control.inodeField] = log.inode &+ 1
        #expect(page.isReplaced(log))
        page.pendingEnd = LogFormat.Control.pendingSwitch
        #expect(page.isSwitching)
        #expect(!page.isReplaced(log))
        page.pendingEnd = 0
        page.stateWord.pointee.store(StateWord(generation: 2, end: 4096).rawValue, ordering: .releasing)
        #expect(!page.isReplaced(log))
    }

    @Test func tryLockFailsIfControlPageHasNoSharedLock() {
        #expect(!page.tryLock())
        #expect(!page.tryUnlock())
        #expect(!page.canBeWatched)
    }

    /// Publishes each state while the watcher, which has just seen the previous one, registers again.
    ///
    /// A watcher that falls asleep without being registered would sleep for an hour.
    @Test(.enabled(if: SharedWord.isSupported)) func watcherRegisteredDuringCommitIsWokenByNextCommit() throws {
        let base = UnsafeMutableRawPointer.allocate(byteCount: LogFormat.Control.size, alignment: 4096)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: LogFormat.Control.size)
        let lock = SharedLock.Attempt(
            word: (base + LogFormat.Control.lockWord).assumingMemoryBound(to: Atomic<UInt32>.self),
            member: 1
        )
        let page = ControlPage(base, lock)
        // Leaked on failure, because the watcher still uses it then.
        let last: UInt64 = 20_000
        let seen = SharedCounter()
        Thread.detachNewThread {
            var known: UInt64 = 0
            while known < last {
                try? page.watch(known, within: .seconds(3600))
                known = page.stateWord.pointee.load(ordering: .acquiring)
                seen.value.store(known, ordering: .releasing)
            }
        }
        for state in 1...last {
            page.stateWord.pointee.store(state, ordering: .sequentiallyConsistent)
            page.wakeWatchersIfAny(2)
            // Spinning, because the race needs the next commit at once.
            var turns = 0
            while seen.value.load(ordering: .acquiring) < state, turns < 1_000_000 { turns += 1 }
            try blockUntil("state \(state)") { seen.value.load(ordering: .acquiring) == state }
        }
        base.deallocate()
    }

    private final class SharedCounter: Sendable {
        let value = Atomic<UInt64>(0)
    }
}
