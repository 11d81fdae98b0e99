import LarderCore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

@testable import LarderDeviceStore

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

    @Test func controlPageOfZerosCountsAsLost() {
        #expect(page.isLost)
        page[LogFormat.Control.magicField] = 1
        #expect(page.isLost)
        page[LogFormat.Control.stateWord] = 1
        #expect(!page.isLost)
    }

    @Test func controlPageIsQuietUntilAProcessWritesFailsOrDies() {
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

    @Test func controlPageKeepsTheLatestFailedGeneration() {
        page.noteFailure(of: 3)
        page.noteFailure(of: 2)
        #expect(page.failures == 2)
        #expect(page[LogFormat.Control.failedGeneration] == 3)
    }

    @Test func confirmedPositionInTheControlPageNeverDecreases() {
        page.noteConfirmed(StateWord(generation: 1, end: 8192), generation: 1)
        page.noteConfirmed(StateWord(generation: 1, end: 4096), generation: 1)
        #expect(page.syncedWord.end == 8192)
        page.noteConfirmed(StateWord(generation: 2, end: 4096), generation: 2)
        #expect(page.syncedWord == StateWord(generation: 2, end: 4096))
    }

    @Test func logOfTheSameGenerationInAnotherFileCountsAsReplaced() throws {
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

    @Test func tryLockFailsForAControlPageWithoutASharedLock() {
        #expect(!page.tryLock())
        #expect(!page.tryUnlock())
        #expect(!page.canBeWatched)
    }
}
