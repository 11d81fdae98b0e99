import LarderCore
import LarderReplication
import Synchronization

/// What was observed of calls that a server does not answer.
private final class SuspendedCalls: Sendable {
    /// The answer to the commit, or its error.
    let answer = Mutex<Result<ReplicationAnswer, any Error>?>(nil)
    /// The names of the calls that have ended.
    let ended = Mutex<Set<String>>([])
}

// Checks of what an engine says about commits that are under way, canceled, or long ago.
extension ReplicationContractRun {
    func differentVerdictsAreDivided() async throws {
        let (first, second) = (try await commit([("a", "1")]), try await commit([("b", "1")]))
        let positions = [try await make(first), try await make(second)]
        let refused = try await commit([("c", "1")], if: [Self.expecting("none", "c")])
        _ = try await engine.commit(refused)
        let new = try await commit([("d", "1")])
        let start = try await snapshot().position
        for parts in [[first, second], [first, refused], [refused, first], [refused, new], [first, new]] {
            var joined = first
            joined.identifiers = parts.flatMap(\.identifiers)
            joined.writes = [.init([9], key: [9])]
            try requireRefusal(.divided, "a commit whose identifiers differ", try await engine.commit(joined))
        }
        try require(try await changes(after: start).isEmpty, "a divided commit should change nothing")
        try require(
            try await [make(first), make(second)] == positions,
            "commits should keep their positions after they were divided"
        )
        try requireRefusal(.expectation, "a commit that was refused before", try await engine.commit(refused))
        // Being divided is no verdict about the identifier that had none.
        try await make(new)
        try await requireEntries(["a": "1", "b": "1", "d": "1"], "after divided commits")
    }

    func outcomeDuringACommitIsDecisive() async throws {
        let other = try await connect()
        for round in 0..<20 {
            let commit = try await commit([("key.\(round)", "1")])
            let identifier = commit.identifiers[0]
            async let answer = engine.commit(commit)
            async let outcome = other.outcome(of: identifier, drawn: commit.drawn)
            let (given, asked) = (try await answer, try await outcome)
            switch (given, asked) {
            case (.committed(let position), .committed(let found)):
                try require(position == found, "the outcome should have the position of the commit")
            case (.refused(.planted, _), .refused(.planted, _)): break
            case (.unknown, .committed), (.unknown, .refused(.planted, _)): break
            default:
                try require(false, "the answer \(given) and the outcome \(asked) of one commit should agree")
            }
            try await requireOutcome(asked, of: commit)
        }
    }

    func canceledCommitsAreDecided() async throws {
        for round in 0..<20 {
            let commit = try await commit([("key.\(round)", "1")])
            let task = Task { [engine] in try await engine.commit(commit) }
            for _ in 0..<round { await Task.yield() }
            task.cancel()
            let result = await task.result
            let outcome = try await engine.outcome(of: commit.identifiers[0], drawn: commit.drawn)
            switch (result, outcome) {
            case (.success(.committed(let position)), .committed(let found)) where position == found: break
            case (.success(.unknown), .committed), (.success(.unknown), .refused(.planted, _)): break
            case (.failure, .refused(.planted, _)): break
            default:
                try require(false, "a canceled commit ended with \(result), but its outcome is \(outcome)")
            }
            try await requireOutcome(outcome, of: commit)
        }
    }

    /// Checks that a commit of one key is part of the entries if, and only if, its outcome says so.
    private func requireOutcome(_ outcome: ReplicationAnswer, of commit: ReplicationCommit) async throws {
        let isMade = if case .committed = outcome { true } else { false }
        let isPresent = try await entries().contains { $0.key == commit.writes[0].key }
        try require(isMade == isPresent, "the entries should agree with the outcome \(outcome)")
    }

    func suspendedCallsCanBeCanceled() async throws {
        guard let setSuspended = store.setSuspended else { return }
        let commit = try await commit([("a", "1")])
        let other = try await self.commit([("b", "1")])
        let position = try await snapshot().position
        let observed = SuspendedCalls()
        try await setSuspended(true)
        func start(_ name: String, _ call: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
            Task {
                try? await call()
                observed.ended.withLock { _ = $0.insert(name) }
            }
        }
        let tasks = [
            start("commit") { [engine] in
                do {
                    let given = try await engine.commit(commit)
                    observed.answer.withLock { $0 = .success(given) }
                } catch {
                    observed.answer.withLock { $0 = .failure(error) }
                }
            },
            start("outcome") { [engine] in
                _ = try await engine.outcome(of: other.identifiers[0], drawn: other.drawn)
            },
            start("snapshot") { [engine] in _ = try await engine.snapshot { _ in } },
            start("changes") { [engine] in _ = try await Self.page(engine, position) },
        ]
        // Lets the calls reach the server.
        try await SystemTimeSource().sleep(for: .milliseconds(50))
        for task in tasks { task.cancel() }
        let time = SystemTimeSource()
        let end = time.monotonic + .seconds(10)
        while observed.ended.withLock(\.count) < tasks.count, time.monotonic < end {
            try await time.sleep(for: .milliseconds(5))
        }
        let late = Set(["commit", "outcome", "snapshot", "changes"]).subtracting(observed.ended.withLock(\.self))
        try await setSuspended(false)
        try require(late.isEmpty, "canceled calls should end although the server does not answer: \(late.sorted())")
        for task in tasks { await task.value }
        let outcome = try await connect().outcome(of: commit.identifiers[0], drawn: commit.drawn)
        switch (observed.answer.withLock(\.self), outcome) {
        case (.success(.unknown)?, .committed), (.success(.unknown)?, .refused(.planted, _)): break
        case (.failure?, .refused(.planted, _)), (.success(.committed)?, .committed): break
        case (let given, _):
            try require(false, "a commit that was canceled ended with \(given as Any), but its outcome is \(outcome)")
        }
    }

    func forgottenIdentifiersAreRecognized() async throws {
        guard let forgetVerdicts = store.forgetVerdicts else { return }
        let made = try await commit([("a", "1")])
        try await make(made)
        let refused = try await commit([("b", "1")], if: [Self.expecting("none", "b")])
        _ = try await engine.commit(refused)
        try await forgetVerdicts()
        func requireForgotten(_ what: String, _ answer: ReplicationAnswer) throws {
            guard case .forgotten = answer else {
                return try require(false, "\(what) should be answered as forgotten, but the answer was \(answer)")
            }
        }
        for (what, commit) in [("a forgotten commit", made), ("a forgotten refusal", refused)] {
            try requireForgotten(what, try await engine.commit(commit))
            let outcome = try await engine.outcome(of: commit.identifiers[0], drawn: commit.drawn)
            try requireForgotten("the outcome of \(what)", outcome)
        }
        var timeless = try await commit([("c", "1")])
        timeless.drawn = nil
        try requireForgotten("a commit that was drawn at an unknown time", try await engine.commit(timeless))
        try await requireEntries(["a": "1"], "after verdicts were forgotten")
        // A clock margin of the engine may cover the present.
        let now = try await snapshot().instant.milliseconds
        var later = try await commit([("d", "1")])
        later.drawn = ReplicationInstant(milliseconds: now + 3_600_000)
        try await make(later)
        try await requireEntries(["a": "1", "d": "1"], "after a commit that was drawn later")
    }
}
