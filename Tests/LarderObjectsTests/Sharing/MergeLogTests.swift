#if Objects
import Testing

@testable import LarderObjects

/// Tests of the order in which saves are merged, whichever thread adds them first.
@Suite struct MergeLogTests {
    private func changes(_ row: Int64) -> RowChanges {
        var changes = RowChanges(entities: 1)
        changes.insert(0, row)
        return changes
    }

    private func other(_ token: Int64) -> MergeLog.Save {
        MergeLog.Save(token: token, changes: changes(token), origin: .otherManager, author: nil)
    }

    private func merged(_ log: inout MergeLog) -> [Int64] { log.take().map(\.token) }

    @Test func ownSaveNeedsNoReading() {
        var log = MergeLog(after: 5)
        log.willCommit(changes(6), author: "a", rows: 6...8)
        #expect(merged(&log) == [])
        log.didCommit()
        #expect(log.known == 8)
        let saves = log.take()
        #expect(saves.map(\.token) == [8] && saves[0].origin == .thisManager && saves[0].author == "a")
        #expect(merged(&log) == [])
    }

    @Test func ownSaveWaitsForEarlierSavesOfOthers() {
        var log = MergeLog(after: 5)
        log.willCommit(changes(8), author: nil, rows: 8...8)
        log.didCommit()
        #expect(log.known == 5 && merged(&log) == [])
        log.add([other(6), other(7), other(8), other(9)], upTo: 9)
        let saves = log.take()
        #expect(saves.map(\.token) == [6, 7, 8, 9])
        #expect(saves.map(\.origin) == [.otherManager, .otherManager, .thisManager, .otherManager])
    }

    /// Another thread may read a save between its commit and the return of the statement.
    @Test func ownSaveThatIsReadBeforeItsCommitReturnsIsMergedOnce() {
        var log = MergeLog(after: 5)
        log.willCommit(changes(7), author: nil, rows: 7...7)
        log.add([other(6), other(7), other(8)], upTo: 8)
        #expect(merged(&log) == [6])
        log.didCommit()
        let saves = log.take()
        #expect(saves.map(\.token) == [7, 8] && saves.map(\.origin) == [.thisManager, .otherManager])
    }

    @Test func tokenOfRolledBackSaveIsUsedByAnotherProgram() {
        var log = MergeLog(after: 5)
        log.willCommit(changes(6), author: nil, rows: 6...6)
        log.add([other(6)], upTo: 6)
        log.didNotCommit()
        #expect(log.take().map(\.origin) == [.otherManager])
    }

    @Test func savesThatAreReadTwiceAreMergedOnce() {
        var log = MergeLog(after: 5)
        log.add([other(6), other(7)], upTo: 7)
        log.add([other(6), other(7), other(8)], upTo: 8)
        #expect(merged(&log) == [6, 7, 8])
        log.add([other(7), other(8)], upTo: 8)
        #expect(merged(&log) == [])
    }

    @Test func missingSavesChangeAnyObject() {
        var log = MergeLog(after: 5)
        log.willCommit(changes(9), author: nil, rows: 9...9)
        log.didCommit()
        log.add([.unknown(upTo: 9, entities: 1)], upTo: 9)
        let saves = log.take()
        #expect(saves.map(\.token) == [9] && saves[0].changes.isComplete && saves[0].origin == .thisManager)
    }

    @Test func historyThatStartsAgainChangesAnyObject() {
        var log = MergeLog(after: 500)
        log.willCommit(changes(7), author: nil, rows: 1...1)
        log.didCommit()
        let saves = log.take()
        #expect(saves.map(\.token) == [0, 1] && saves.map(\.changes.isComplete) == [true, false])
        #expect(log.known == 1)
    }

    /// Adds eleven saves with the same changes, whose total size is more than the limit, while the view's queue is blocked.
    private func blocked(_ changes: RowChanges) -> [MergeLog.Save] {
        var log = MergeLog(after: 0)
        for token in Int64(1)...11 {
            log.add([MergeLog.Save(token: token, changes: changes, origin: .otherManager, author: nil)], upTo: token)
        }
        return log.take()
    }

    @Test func rowsOfBlockedViewAreForgotten() {
        var changes = RowChanges(entities: 1)
        for row in Int64(0)..<99_999 { changes.insert(0, row) }
        let saves = blocked(changes)
        #expect(saves.map(\.token) == [11] && saves[0].changes.isComplete)
    }

    @Test func linksOfBlockedViewAreForgotten() {
        var changes = RowChanges(entities: 1)
        for row in Int64(0)..<99_999 { changes.insert(LinkPair(source: row, target: 1), in: "Post.tags") }
        let saves = blocked(changes)
        #expect(saves.map(\.token) == [11] && saves[0].changes.isComplete)
    }

    @Test func emptySavesOfBlockedViewAreForgotten() {
        var log = MergeLog(after: 0)
        let saves = (Int64(1)...1_000_001).map {
            MergeLog.Save(token: $0, changes: RowChanges(entities: 0), origin: .otherProgram, author: nil)
        }
        log.add(saves, upTo: 1_000_001)
        #expect(log.take().map(\.token) == [1_000_001])
    }
}
#endif
