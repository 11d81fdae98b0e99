#if Objects
import CObjectStorageFaults
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestSupport
import ObjectStorageModels
import Testing

/// Tests that no checkpoint overlaps a commit of another connection, and that the recorder of locks would find an overlap.
@Suite struct IntervalTests {
    /// Records the locks of two processes that commit with SQLite alone.
    ///
    /// `pages` is the number of pages in the log after which a commit runs a checkpoint, or 0 for checkpoints by closing only.
    private func recordUnlocked(checkpointAfter pages: Int) throws -> LockIntervals {
        let folder = try TemporaryDirectory()
        let url = folder.url("commits.sqlite")
        let queue = try DatabaseQueue(path: url.path)
        try queue.writeWithoutTransaction {
            try $0.execute(
                sql: "PRAGMA journal_mode = WAL; CREATE TABLE commits (number INTEGER); INSERT INTO commits VALUES (0)"
            )
        }
        try queue.close()
        let log = folder.url("intervals")
        let processes = try (0..<2).map { _ in
            try LedgerProcess("commitUnlocked", url, ["1", "\(pages)"], intervals: log)
        }
        for process in processes { try process.finish() }
        let intervals = try LockIntervals(contentsOf: log)
        #expect(intervals.unlocked.isEmpty)
        #expect(Set(intervals.commits.map(\.process)).count == 2)
        return intervals
    }

    @Test func commitsAndCheckpointsDoNotOverlap() throws {
        let folder = try TemporaryDirectory()
        let (url, log) = (folder.url("ledger.sqlite"), folder.url("intervals"))
        let saves = Torture.isSmall ? 60 : 600
        let writers = try [
            // Saves of 20 entries and notes fill the log quickly, so that there are many checkpoints.
            LedgerProcess.saving("a", url, in: folder, ["times=\(saves)", "objects=20"], intervals: log),
            LedgerProcess.saving("b", url, in: folder, ["times=\(saves)", "objects=20"], intervals: log),
            LedgerProcess("random", url, ["1", "\(saves)"], intervals: log),
        ]
        // Meanwhile, other processes open and close the file.
        var openings = 0
        while writers.contains(where: \.process.isRunning) {
            try LedgerProcess.saving("c", url, in: folder, ["times=5"], intervals: log).finish()
            openings += 1
        }
        for writer in writers { try writer.finish() }
        let intervals = try LockIntervals(contentsOf: log)
        #expect(intervals.unlocked.isEmpty)
        // Some random changes change nothing.
        #expect(intervals.commits.count >= 2 * saves + 5 * openings)
        #expect(intervals.checkpoints.count { $0.writes > 0 } >= saves / 100)
        let overlaps = intervals.overlaps(.possible)
        #expect(overlaps.isEmpty, "\(overlaps.count) overlaps, such as \(overlaps.first as Any)")
        let manager = try Ledger.open(url.path)
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    @Test func overlapWithoutLockIsFound() throws {
        let intervals = try recordUnlocked(checkpointAfter: 1)
        #expect(intervals.checkpoints.contains { $0.writes > 0 })
        #expect(!intervals.overlaps(.certain).isEmpty, "\(intervals.commits.count) commits")
    }

    @Test func closingCheckpointHasExclusiveLock() throws {
        let intervals = try recordUnlocked(checkpointAfter: 0)
        // The last connection to close copies the log.
        #expect(intervals.exclusive.contains { $0.writes > 0 })
        #expect(intervals.checkpoints.isEmpty)
        #expect(intervals.overlaps(.certain).isEmpty)
    }
}
#endif
