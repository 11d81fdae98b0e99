import LarderCore

extension ContractRun {
    func changesArriveInOrder(_ store: any KeyValueStore) async throws {
        try store.set(1, for: "before")
        let all = ContractObserver()
        let some = ContractObserver()
        let observations = [all.observe(store), some.observe(store, prefix: "b.")]
        try store.set(1, for: "a")
        try store.set(1, for: "a")
        try store.remove("absent")
        var batch = StoreBatch()
        batch.set(1, for: "b.1")
        batch.set(2, for: "a")
        batch.set(2, for: "b.1")
        batch.set(1, for: "before")
        batch.remove("b.2")
        _ = try store.commit(batch)
        try store.remove("b.1")
        var imported = StoreBatch()
        imported.origin = .imported
        imported.set(9, for: "i")
        _ = try store.commit(imported)

        try await requireChanges(
            [
                ([("a", nil, 1)], .thisProcess), ([("b.1", nil, 2), ("a", 1, 2)], .thisProcess),
                ([("b.1", 2, nil)], .thisProcess), ([("i", nil, 9)], .imported),
            ],
            all,
            "an observer of everything"
        )
        try await requireChanges(
            [([("b.1", nil, 2)], .thisProcess), ([("b.1", 2, nil)], .thisProcess)],
            some,
            "an observer of \"b.\""
        )

        for observation in observations { observation.cancel() }
        try store.set(3, for: "a")
        try require(all.events.count == 4, "a cancelled observation should not report further changes")
    }

    private func requireChanges(
        _ expected: [([(String, StoredValue?, StoredValue?)], StoreChange.Origin)],
        _ observer: ContractObserver,
        _ who: String
    ) async throws {
        let changes = expected.map { entries, origin in
            StoreEvent.change(
                StoreChange(entries: entries.map { .init(key: $0.0, old: $0.1, new: $0.2) }, origin: origin)
            )
        }
        await observer.wait(for: changes.count)
        try require(observer.events == changes, "\(who) should receive \(changes), but received \(observer.events)")
    }

    func slowReadersReceiveMissedCount(_ store: any KeyValueStore) async throws {
        var everything = store.changes(prefix: "").makeAsyncIterator()
        var limited = store.changes(prefix: "", buffering: .all(limit: 2)).makeAsyncIterator()
        var latest = store.changes(prefix: "a", buffering: .latest).makeAsyncIterator()
        for number in 1...5 { try store.set(.int(Int64(number)), for: "a") }
        func change(_ old: StoredValue?, _ new: StoredValue?) -> StoreEvent {
            .change(StoreChange(entries: [.init(key: "a", old: old, new: new)], origin: .thisProcess))
        }
        for number in 1...5 {
            let event = await everything.next()
            let old: StoredValue? = if number > 1 { .int(Int64(number - 1)) } else { nil }
            try require(
                event == change(old, .int(Int64(number))),
                "commit \(number) should be reported, but the reader received \(String(describing: event))"
            )
        }
        for expected in [StoreEvent.missed(3), change(3, 4), change(4, 5)] {
            let event = await limited.next()
            try require(
                event == expected,
                "a reader limited to 2 changes should receive \(expected), but received \(String(describing: event))"
            )
        }
        let event = await latest.next()
        try require(
            event == change(nil, 5),
            "a reader of the latest change should receive one change, but received \(String(describing: event))"
        )
    }

    func observersMayWrite(_ store: any KeyValueStore) async throws {
        let copied = ContractObserver()
        let observing = copied.observe(store, prefix: "copy")
        let observation = store.observe(prefix: "source") { event in
            guard case .change(let change) = event, let value = change.entries.first?.new else { return }
            // A failed write shows up as a missing copy.
            try? store.set(value, for: "copy")
        }
        try store.set(1, for: "source")
        await copied.wait(for: 1)
        try requireValue(1, at: "copy", in: store)
        try store.set(2, for: "source")
        await copied.wait(for: 2)
        try requireValue(2, at: "copy", in: store)
        observation.cancel()
        try store.set(3, for: "source")
        try requireValue(2, at: "copy", in: store)
        try require(copied.changes.count == 2, "an observer's own writes should be reported")
        observing.cancel()
    }
}
