import LarderCore
import LarderReplication
import Synchronization

/// A run of one contract check on one store of a replication engine.
struct ReplicationContractRun: CheckRun {
    typealias Violation = ReplicationContractViolation

    let check: ReplicationEngineContract.Check
    let engine: any ReplicationEngine
    let store: ReplicationEngineContract.Store

    /// Opens one more connection to the same store.
    func connect() async throws -> any ReplicationEngine { try await store.connect() }

    func body() async throws {
        switch check {
        case .commitsAreOrdered: try await commitsAreOrdered()
        case .expectationsAreJudged: try await expectationsAreJudged()
        case .listingsAreJudged: try await listingsAreJudged()
        case .keysAndValuesAreBytes: try await keysAndValuesAreBytes()
        case .firstVerdictStands: try await firstVerdictStands()
        case .outcomeIsTheVerdict: try await outcomeIsTheVerdict()
        case .outcomeRefusesUnknownIdentifiers: try await outcomeRefusesUnknownIdentifiers()
        case .commitsMayHaveSeveralIdentifiers: try await commitsMayHaveSeveralIdentifiers()
        case .differentVerdictsAreDivided: try await differentVerdictsAreDivided()
        case .outcomeDuringACommitIsDecisive: try await outcomeDuringACommitIsDecisive()
        case .canceledCommitsAreDecided: try await canceledCommitsAreDecided()
        case .suspendedCallsCanBeCanceled: try await suspendedCallsCanBeCanceled()
        case .forgottenIdentifiersAreRecognized: try await forgottenIdentifiersAreRecognized()
        case .changesAreComplete: try await changesAreComplete()
        case .snapshotsAgreeWithChanges: try await snapshotsAgreeWithChanges()
        case .pagesEndAtTheirLimits: try await pagesEndAtTheirLimits()
        case .foreignPositionsAreLost: try await foreignPositionsAreLost()
        case .trimmedHistoryIsLost: try await trimmedHistoryIsLost()
        case .waitingEndsAfterACommit: try await waitingEndsAfterACommit()
        case .concurrentCommitsAreSerial: try await concurrentCommitsAreSerial()
        case .limitsAreEnforced: try await limitsAreEnforced()
        case .expiredEntriesAreAbsent: try await expiredEntriesAreAbsent()
        case .identityIsStable: try await identityIsStable()
        }
    }

    // MARK: - Helpers of checks

    /// Returns a commit with a new identifier.
    func commit(
        _ writes: [(String, String?)],
        if expectations: [ReplicationCommit.Expectation] = []
    ) async throws -> ReplicationCommit {
        ReplicationCommit(
            identifiers: [Self.identifier()],
            drawn: try await snapshot().instant,
            expectations: expectations,
            writes: writes.map { .init($0.1.map { Array($0.utf8) }, key: Array($0.0.utf8)) }
        )
    }

    static func identifier() -> ReplicationCommit.Identifier {
        .init(session: .random(in: 0 ... .max), number: .random(in: 0 ... .max))
    }

    static func expecting(_ value: String?, _ key: String) -> ReplicationCommit.Expectation {
        .value(value.map { Array($0.utf8) }, key: Array(key.utf8))
    }

    /// Makes a commit, and throws a violation unless it is committed.
    @discardableResult
    func make(_ commit: ReplicationCommit, on other: (any ReplicationEngine)? = nil) async throws -> ReplicationPosition
    {
        let answer = try await (other ?? engine).commit(commit)
        guard case .committed(let position) = answer else {
            try require(false, "the commit should be made, but the answer was \(answer)")
            return ReplicationPosition(revision: 0, token: 0)
        }
        return position
    }

    func requireRefusal(
        _ refusal: ReplicationAnswer.Refusal,
        _ what: String,
        _ answer: ReplicationAnswer
    ) throws {
        guard case .refused(let found, _) = answer else {
            return try require(false, "\(what) should be refused, but the answer was \(answer)")
        }
        try require(found == refusal, "\(what) should be refused as \(refusal), but was refused as \(found)")
    }

    func requireEntries(_ entries: [String: String], _ when: String) async throws {
        let found = try await self.entries()
        let texts = found.map { (String(decoding: $0.key, as: UTF8.self), String(decoding: $0.value, as: UTF8.self)) }
        try require(
            Dictionary(texts) { first, _ in first } == entries && found.count == entries.count,
            "the entries should be \(entries) \(when), but are \(texts)"
        )
    }

    /// The number of the replica that the checks pretend to be.
    static let replica: UInt64 = 22

    /// Reads a snapshot without keeping its entries.
    func snapshot() async throws -> ReplicationSnapshot { try await engine.snapshot { _ in } }

    /// Reads the entries of a snapshot.
    func entries() async throws -> [ReplicationSnapshot.Entry] { try await Self.entries(engine) }

    static func entries(_ engine: any ReplicationEngine) async throws -> [ReplicationSnapshot.Entry] {
        let entries = Mutex<[ReplicationSnapshot.Entry]>([])
        _ = try await engine.snapshot { part in entries.withLock { $0 += part } }
        return entries.withLock(\.self)
    }

    /// Returns all changes after a position, read in parts.
    func changes(
        after start: ReplicationPosition,
        by limit: Int = 100
    ) async throws -> [ReplicationChange] {
        var (position, all) = (start, [ReplicationChange]())
        while true {
            let limit = ReplicationPageLimit(commits: limit, bytes: .max)
            let page = try await engine.changes(after: position, limit: limit, replica: Self.replica)
            guard case .changes(let changes, _) = page else {
                try require(false, "the history after \(position) should not be lost")
                return all
            }
            try require(changes.count <= limit.commits, "at most \(limit.commits) changes should be returned")
            guard let last = changes.last else { return all }
            all += changes
            position = last.position
        }
    }
}
