import LarderReplication

extension ReplicationContractRun {
    func firstVerdictStands() async throws {
        let commit = try await commit([("a", "1")])
        let position = try await make(commit)
        try await make(self.commit([("a", "2")]))
        try require(
            try await make(commit) == position,
            "a repeated commit should be answered with the position of the first one"
        )
        try await requireEntries(["a": "2"], "after a repeated commit")

        let refused = try await self.commit([("b", "1")], if: [Self.expecting("3", "a")])
        try requireRefusal(.expectation, "a commit with an unmet expectation", try await engine.commit(refused))
        try await make(self.commit([("a", "3")]))
        let answer = try await connect().commit(refused)
        try requireRefusal(.expectation, "a repeated commit whose expectation holds by now", answer)
        try await requireEntries(["a": "3"], "after a repeated refusal")
    }

    func outcomeIsTheVerdict() async throws {
        let made = try await commit([("a", "1")])
        let position = try await make(made)
        let answer = try await connect().outcome(of: made.identifiers[0], drawn: made.drawn)
        guard case .committed(position) = answer else {
            return try require(false, "the outcome of a commit should be its position, but was \(answer)")
        }
        let refused = try await commit([("a", "2")], if: [Self.expecting(nil, "a")])
        _ = try await engine.commit(refused)
        try requireRefusal(
            .expectation,
            "the outcome of a refused commit",
            try await engine.outcome(of: refused.identifiers[0], drawn: refused.drawn)
        )
    }

    func outcomeRefusesUnknownIdentifiers() async throws {
        let late = try await commit([("a", "1")])
        for _ in 0..<2 {
            let answer = try await engine.outcome(of: late.identifiers[0], drawn: late.drawn)
            try requireRefusal(.planted, "the outcome of an unknown identifier", answer)
        }
        try requireRefusal(
            .planted,
            "a commit that arrives after its outcome was asked",
            try await connect().commit(late)
        )
        try await requireEntries([:], "after a late commit")
    }

    func commitsMayHaveSeveralIdentifiers() async throws {
        var joined = try await commit([("a", "1"), ("b", "2")])
        joined.identifiers.append(Self.identifier())
        let start = try await snapshot().position
        let position = try await make(joined)
        try require(try await make(joined) == position, "a repeated commit should have the same position")
        for identifier in joined.identifiers {
            var single = joined
            single.identifiers = [identifier]
            try require(try await make(single) == position, "each identifier should have the verdict of the commit")
        }
        var larger = joined
        larger.identifiers.append(Self.identifier())
        larger.writes.append(.init([1], key: [1]))
        try requireRefusal(.divided, "identifiers with different verdicts", try await engine.commit(larger))
        larger.identifiers.removeFirst(2)
        larger.writes.removeFirst(2)
        try await make(larger)
        try require(
            try await changes(after: start).map { Set($0.identifiers) }
                == [Set(joined.identifiers), Set(larger.identifiers)],
            "changes should name all identifiers of their commits"
        )
    }
}
