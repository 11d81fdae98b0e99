import LarderCore
import Synchronization
import Testing

@Suite struct StoreChangeHubTests {
    @Test func observersReceiveCommitsInOrder() {
        let hub = StoreChangeHub()
        let events = Recorder<StoreEvent>()
        let observation = hub.observe(prefix: "") { events.append($0) }
        for number in 1...3 { hub.publish(change("k", number)) }
        #expect(events.all.isEmpty)
        hub.deliver()
        #expect(events.all == (1...3).map { .change(change("k", $0)) })
        observation.cancel()
    }

    @Test func observerReceivesOnlyChangesWithMatchingPrefix() {
        let hub = StoreChangeHub()
        let events = Recorder<StoreEvent>()
        let observation = hub.observe(prefix: "a.") { events.append($0) }
        hub.publish(StoreChange(entries: [entry("b.x", 1), entry("a.x", 2)], origin: .imported))
        hub.publish(change("ab", 1))
        hub.deliver()
        #expect(events.all == [.change(StoreChange(entries: [entry("a.x", 2)], origin: .imported))])
        observation.cancel()
    }

    @Test func missedCommitsAreReportedToAllObservers() {
        let hub = StoreChangeHub()
        let events = Recorder<StoreEvent>()
        let observation = hub.observe(prefix: "a.") { events.append($0) }
        hub.publishMissed(3)
        hub.deliver()
        #expect(events.all == [.missed(3)])
        observation.cancel()
    }

    @Test func observerReceivesOnlyCommitsAfterRegistration() {
        let hub = StoreChangeHub()
        let first = Recorder<StoreEvent>()
        let late = Recorder<StoreEvent>()
        let observation = hub.observe(prefix: "") { first.append($0) }
        hub.publish(change("k", 1))
        let lateObservation = hub.observe(prefix: "") { late.append($0) }
        hub.deliver()
        #expect(first.all.count == 1)
        #expect(late.all.isEmpty)
        observation.cancel()
        lateObservation.cancel()
    }

    @Test func cancelledObserverReceivesNoCommits() {
        let hub = StoreChangeHub()
        let events = Recorder<StoreEvent>()
        let observation = hub.observe(prefix: "") { events.append($0) }
        hub.publish(change("k", 1))
        observation.cancel()
        observation.cancel()
        hub.deliver()
        #expect(events.all.isEmpty)
        #expect(!hub.isObserved)
    }

    @Test func releasingObservationEndsDelivery() {
        let hub = StoreChangeHub()
        var observation: StoreObservation? = hub.observe(prefix: "") { _ in }
        #expect(hub.isObserved)
        withExtendedLifetime(observation) {}
        observation = nil
        #expect(!hub.isObserved)
    }

    @Test func observerCommitsAreDeliveredAfterObserverReturns() {
        let hub = StoreChangeHub()
        let log = Recorder<String>()
        let observation = hub.observe(prefix: "") { event in
            guard case .change(let change) = event, change.entries.first?.key == "first" else {
                return log.append("second")
            }
            hub.publish(self.change("second", 1))
            hub.deliver()
            log.append("first done")
        }
        hub.publish(change("first", 1))
        hub.deliver()
        #expect(log.all == ["first done", "second"])
        observation.cancel()
    }

    @Test func observerCanCancelOwnObservation() {
        let hub = StoreChangeHub()
        let events = Recorder<StoreEvent>()
        let own = Mutex<StoreObservation?>(nil)
        let observation = hub.observe(prefix: "") { event in
            events.append(event)
            own.withLock { $0 }?.cancel()
        }
        own.withLock { $0 = observation }
        hub.publish(change("k", 1))
        hub.publish(change("k", 2))
        hub.deliver()
        #expect(events.all.count == 1)
    }

    @Test func cancellingObservationCanReleaseAnotherObservation() {
        let hub = StoreChangeHub()
        let observation: StoreObservation
        do {
            let inner = hub.observe(prefix: "") { _ in }
            observation = hub.observe(prefix: "") { _ in withExtendedLifetime(inner) {} }
        }
        // Releases the handler, and with it the last reference to the inner observation.
        observation.cancel()
        #expect(!hub.isObserved)
    }

    @Test func finishedChangeHubDeliversNoCommits() async {
        let hub = StoreChangeHub()
        let events = Recorder<StoreEvent>()
        let observation = hub.observe(prefix: "") { events.append($0) }
        var changes = hub.changes(prefix: "", buffering: .all()).makeAsyncIterator()
        hub.publish(change("k", 1))
        hub.finish()
        hub.publish(change("k", 2))
        hub.deliver()
        #expect(events.all.isEmpty)
        #expect(await changes.next() == .change(change("k", 1)))
        #expect(await changes.next() == nil)
        var late = hub.changes(prefix: "", buffering: .all()).makeAsyncIterator()
        #expect(await late.next() == nil)
        observation.cancel()
    }

    @Test func concurrentCommitsAreDeliveredExactlyOnceAndInOrder() async {
        let store = TestStore()
        let events = Recorder<StoreEvent>()
        let observation = store.observe(prefix: "") { events.append($0) }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { for number in 0..<500 { try? store.set(.int(Int64(number)), for: "\(task)") } }
            }
        }
        var last: [String: Int64] = [:]
        for event in events.all {
            guard case .change(let change) = event, let entry = change.entries.first, case .int(let number)? = entry.new
            else { continue }
            #expect(number == last[entry.key].map { $0 + 1 } ?? 0)
            last[entry.key] = number
        }
        #expect(events.all.count == 2_000)
        observation.cancel()
    }

    private func entry(_ key: String, _ number: Int) -> StoreChange.Entry {
        StoreChange.Entry(key: key, old: nil, new: .int(Int64(number)))
    }

    private func change(_ key: String, _ number: Int) -> StoreChange {
        StoreChange(entries: [entry(key, number)], origin: .thisProcess)
    }
}
