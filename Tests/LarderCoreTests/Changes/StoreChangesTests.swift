import LarderCore
import Testing

@Suite struct StoreChangesTests {
    @Test func readerReceivesEveryCommitInOrder() async {
        let hub = StoreChangeHub()
        var reader = hub.changes(prefix: "", buffering: .all()).makeAsyncIterator()
        for number in 1...3 { hub.publish(change("k", old: number - 1, new: number)) }
        for number in 1...3 { #expect(await reader.next() == .change(change("k", old: number - 1, new: number))) }
    }

    @Test func slowReaderReceivesNumberOfDroppedCommits() async {
        let hub = StoreChangeHub()
        var reader = hub.changes(prefix: "", buffering: .all(limit: 2)).makeAsyncIterator()
        for number in 1...5 { hub.publish(change("k", old: number - 1, new: number)) }
        #expect(await reader.next() == .missed(3))
        #expect(await reader.next() == .change(change("k", old: 3, new: 4)))
        #expect(await reader.next() == .change(change("k", old: 4, new: 5)))
    }

    @Test func missedCountIncludesEarlierUnreadCommits() async {
        let hub = StoreChangeHub()
        var reader = hub.changes(prefix: "", buffering: .all()).makeAsyncIterator()
        hub.publish(change("k", old: 0, new: 1))
        hub.publishMissed(3)
        hub.publish(change("k", old: 5, new: 6))
        #expect(await reader.next() == .missed(4))
        #expect(await reader.next() == .change(change("k", old: 5, new: 6)))
    }

    @Test func latestBufferingMergesUnreadCommits() async {
        let hub = StoreChangeHub()
        var reader = hub.changes(prefix: "", buffering: .latest).makeAsyncIterator()
        hub.publish(change("a", old: 0, new: 1))
        hub.publish(change("b", old: 0, new: 1))
        hub.publish(change("a", old: 1, new: 2))
        let expected = StoreChange(
            entries: [entry("a", old: 0, new: 2), entry("b", old: 0, new: 1)],
            origin: .thisProcess
        )
        #expect(await reader.next() == .change(expected))
    }

    @Test func latestBufferingOmitsKeysWithRestoredValue() async {
        let hub = StoreChangeHub()
        var reader = hub.changes(prefix: "", buffering: .latest).makeAsyncIterator()
        hub.publish(change("a", old: 0, new: 1))
        hub.publish(change("b", old: 0, new: 1))
        hub.publish(change("a", old: 1, new: 0))
        #expect(await reader.next() == .change(change("b", old: 0, new: 1)))
    }

    @Test func latestBufferingDeliversNothingIfAllValuesAreRestored() async {
        let hub = StoreChangeHub()
        var reader = hub.changes(prefix: "", buffering: .latest).makeAsyncIterator()
        hub.publish(change("a", old: 0, new: 1))
        hub.publish(change("a", old: 1, new: 0))
        hub.finish()
        #expect(await reader.next() == nil)
    }

    @Test func latestBufferingReportsMissedCommitsFirst() async {
        let hub = StoreChangeHub()
        var reader = hub.changes(prefix: "", buffering: .latest).makeAsyncIterator()
        hub.publishMissed(2)
        hub.publish(change("a", old: 0, new: 1))
        #expect(await reader.next() == .missed(2))
        #expect(await reader.next() == .change(change("a", old: 0, new: 1)))
    }

    @Test func cancellingTaskEndsChangeSequence() async {
        let hub = StoreChangeHub()
        let changes = hub.changes(prefix: "", buffering: .all())
        let task = Task {
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
        #expect(!hub.isObserved)
    }

    @Test func commitWakesWaitingReader() async {
        let hub = StoreChangeHub()
        let changes = hub.changes(prefix: "a", buffering: .all())
        let task = Task {
            var reader = changes.makeAsyncIterator()
            return await reader.next()
        }
        await Task.yield()
        hub.publish(change("b", old: 0, new: 1))
        hub.publish(change("a", old: 0, new: 1))
        hub.deliver()
        #expect(await task.value == .change(change("a", old: 0, new: 1)))
    }

    @Test func releasingChangeSequenceEndsObservation() {
        let hub = StoreChangeHub()
        do { _ = hub.changes(prefix: "", buffering: .latest) }
        #expect(!hub.isObserved)
    }

    @Test func changesIncludeOldAndNewValues() async throws {
        let store = TestStore()
        var reader = store.changes().makeAsyncIterator()
        try store.set(1, for: StoreKey("k"))
        try store.set(1, for: StoreKey("k"))
        try store.remove(StoreKey("k"))
        #expect(
            await reader.next()
                == .change(StoreChange(entries: [.init(key: "k", old: nil, new: 1)], origin: .thisProcess))
        )
        #expect(
            await reader.next()
                == .change(StoreChange(entries: [.init(key: "k", old: 1, new: nil)], origin: .thisProcess))
        )
    }

    private func entry(_ key: String, old: Int, new: Int) -> StoreChange.Entry {
        StoreChange.Entry(key: key, old: .int(Int64(old)), new: .int(Int64(new)))
    }

    private func change(_ key: String, old: Int, new: Int) -> StoreChange {
        StoreChange(entries: [entry(key, old: old, new: new)], origin: .thisProcess)
    }
}
