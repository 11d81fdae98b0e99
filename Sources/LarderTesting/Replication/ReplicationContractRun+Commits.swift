import LarderCore
import LarderReplication

extension ReplicationContractRun {
    func commitsAreOrdered() async throws {
        let start = try await snapshot().position
        let first = try await make(commit([("a", "1"), ("b", "2")]))
        let second = try await make(commit([("a", nil), ("c", "3")]))
        try require(start.revision < first.revision, "the first commit should have a higher revision than the start")
        try require(first.revision < second.revision, "a later commit should have a higher revision")
        try await requireEntries(["b": "2", "c": "3"], "after two commits")
    }

    func expectationsAreJudged() async throws {
        try await make(commit([("a", "1")]))
        let refused: [[ReplicationCommit.Expectation]] = [
            [Self.expecting("2", "a")], [Self.expecting(nil, "a")], [Self.expecting("1", "b")],
            [Self.expecting("1", "a"), Self.expecting("", "b")],
        ]
        for expectations in refused {
            let answer = try await engine.commit(commit([("a", "9"), ("z", "9")], if: expectations))
            try requireRefusal(.expectation, "a commit that expects \(expectations)", answer)
        }
        try await requireEntries(["a": "1"], "after refused commits")
        try await make(commit([("a", "2")], if: [Self.expecting("1", "a"), Self.expecting(nil, "b")]))
        try await make(commit([], if: [Self.expecting("2", "a")]))
        try await requireEntries(["a": "2"], "after a commit whose expectations hold")
    }

    func listingsAreJudged() async throws {
        try await make(commit([("l.2", "2"), ("l.1", "1"), ("m", "3"), ("\u{0}larder.x", "4")]))
        func listing(_ entries: [(String, String)], _ prefix: String) -> [ReplicationCommit.Expectation] {
            let pairs = entries.map { ReplicationCommit.Pair(key: Array($0.0.utf8), value: Array($0.1.utf8)) }
            return [.entries(pairs, prefix: Array(prefix.utf8))]
        }
        let full = [("l.1", "1"), ("l.2", "2")]
        try await make(commit([("n", "1")], if: listing(full, "l.")))
        try await make(commit([("n", nil)], if: listing(full + [("m", "3"), ("n", "1")], "")))
        try await make(commit([], if: listing([], "nothing")))
        for wrong in [[("l.1", "1")], full + [("l.3", "3")], [("l.1", "1"), ("l.2", "9")], []] {
            let answer = try await engine.commit(commit([("n", "9")], if: listing(wrong, "l.")))
            try requireRefusal(.expectation, "a commit that expects the listing \(wrong)", answer)
        }
        try await requireEntries(["l.1": "1", "l.2": "2", "m": "3", "\u{0}larder.x": "4"], "after all commits")
    }

    func keysAndValuesAreBytes() async throws {
        let keys: [[UInt8]] = [
            [0], [0, 0], Array("e\u{301}".utf8), Array("\u{E9}".utf8), Array("'\\\"%\n".utf8),
            Array("\u{10FFFF}".utf8),
        ]
        let values: [[UInt8]] = [[], [0], [0xFF, 0xFE], Array(0...255), [0x80], Array("NULL".utf8)]
        var template = try await commit([])
        template.writes = zip(keys, values).map { .init($1, key: $0) }
        let start = try await snapshot().position
        try await make(template)
        let found = try await entries()
        try require(
            Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0.value) })
                == Dictionary(uniqueKeysWithValues: zip(keys, values)),
            "keys and values should be returned unchanged in a snapshot, but were \(found)"
        )
        let change = try await changes(after: start).first
        try require(
            change.map { Set($0.writes) } == Set(template.writes),
            "keys and values should be returned unchanged in a change, but were \(String(describing: change))"
        )
        for (key, value) in zip(keys, values) {
            try await make(commit([], if: [.value(value, key: key)]))
        }
    }

    func concurrentCommitsAreSerial() async throws {
        let other = try await connect()
        try await make(commit([("n", "0")]))
        let rounds = 20
        try await withThrowingTaskGroup(of: Void.self) { group in
            for engine in [engine, other] {
                group.addTask {
                    var done = 0
                    while done < rounds {
                        let entries = try await Self.entries(engine)
                        let text = entries.first.map { String(decoding: $0.value, as: UTF8.self) } ?? ""
                        let next = "\((Int(text) ?? 0) + 1)"
                        let increment = try await commit([("n", next)], if: [Self.expecting(text, "n")])
                        if case .committed = try await engine.commit(increment) { done += 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await requireEntries(["n": "\(2 * rounds)"], "after concurrent increments")
    }

    func limitsAreEnforced() async throws {
        let limits = engine.limits
        func requireInvalid(_ what: String, _ commit: ReplicationCommit) async throws {
            guard case .refused(.invalid, _) = try await engine.commit(commit) else {
                return try require(false, "\(what) should be refused as invalid")
            }
        }
        if limits.operations < 100_000 {
            try await make(commit((0..<limits.operations).map { ("key.\($0)", "") }))
            try await requireInvalid("too many writes", commit((0...limits.operations).map { ("key.\($0)", "x") }))
        }
        if limits.bytes < 100_000_000 {
            let value = String(repeating: "x", count: limits.bytes)
            try await requireInvalid("a commit with too many bytes", commit([("large", value)]))
        }
        if !limits.allowsEmptyKeys { try await requireInvalid("an empty key", commit([("", "x")])) }
        let long = String(repeating: "k", count: limits.keyLength)
        try await make(commit([(long, "x")]))
        try await requireInvalid("a key that is too long", commit([(long + "k", "x")]))
    }

    func expiredEntriesAreAbsent() async throws {
        let now = try await snapshot().instant
        func expiring(_ seconds: Int64, _ key: String) -> ReplicationCommit.Write {
            .init([1], key: Array(key.utf8), expiry: .init(milliseconds: now.milliseconds + seconds * 1000))
        }
        var writing = try await commit([])
        writing.writes = [expiring(-10, "l.past"), expiring(3600, "l.future")]
        try await make(writing)
        let listed = ReplicationCommit.Pair(key: Array("l.future".utf8), value: [1])
        try await make(
            commit(
                [],
                if: [
                    .value(nil, key: Array("l.past".utf8)), .value([1], key: Array("l.future".utf8)),
                    .entries([listed], prefix: Array("l.".utf8)),
                ]
            )
        )
        let expiries = try await entries().map { $0.expiry }
        try require(
            Set(expiries) == Set(writing.writes.map(\.expiry)),
            "a snapshot should contain the expiry of each entry, but contains \(expiries)"
        )
        try await make(commit([("l.past", nil), ("l.future", "x")]))
        let left = try await entries()
        try require(left.map(\.expiry) == [nil], "a write without an expiry should replace one with an expiry")
    }
}
