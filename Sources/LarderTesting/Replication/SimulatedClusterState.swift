import LarderCore
import LarderReplication

/// The entries, the history and the memory for identifiers of a ``SimulatedCluster``.
struct SimulatedClusterState: Sendable {
    struct Logged: Sendable {
        let change: ReplicationChange
        let commit: ReplicationCommit
        /// The engine's time of the commit.
        let instant: ReplicationInstant
        /// The number of verdicts given up to and including that about this commit.
        let verdicts: Int
    }

    /// A commit whose expectations did not hold at a position.
    struct Refused: Sendable {
        let commit: ReplicationCommit
        let position: ReplicationPosition
        let instant: ReplicationInstant
    }

    struct Verdict: Sendable {
        let answer: ReplicationAnswer
        let instant: ReplicationInstant
        /// The number of verdicts given before this one.
        let order: Int
    }

    var generator: SeededGenerator
    let identity: [UInt8]
    /// The token of revision 0.
    let firstToken: UInt64
    private(set) var log: [Logged] = []
    private(set) var table: [[UInt8]: ReplicationSnapshot.Entry] = [:]
    /// The number of commits that were trimmed from the history.
    var floor = 0
    private var verdicts: [ReplicationCommit.Identifier: Verdict] = [:]
    /// All refusals, also those that were lost or forgotten, which a checker judges.
    private(set) var refusals: [Refused] = []
    /// The identifiers that were answered as forgotten.
    private(set) var forgotten: Set<ReplicationCommit.Identifier> = []
    private var verdictCount = 0
    /// The latest time of a verdict that was forgotten.
    private var forgottenUntil: ReplicationInstant?
    /// Commits that will still reach the cluster.
    var late: [ReplicationCommit] = []
    var unreachable: Set<String> = []
    var isSuspended = false
    /// The time of the last commit or refusal, which is kept with the data.
    private(set) var latest = ReplicationInstant(milliseconds: .min)
    /// The position from which each replica has last read the history.
    var replicas: [UInt64: ReplicationPosition] = [:]
    /// The number of times that the history was rewound.
    private(set) var failovers = 0
    /// The milliseconds by which the clock differs from the time source.
    var skew = 0.0

    /// The milliseconds by which identifiers count as forgotten early.
    private let clockMargin: Int64

    init(seed: UInt64, clockMargin: Duration) {
        self.clockMargin = Int64(clockMargin / .milliseconds(1))
        var generator = SeededGenerator(seed: seed)
        identity = (0..<2).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
        firstToken = generator.next()
        self.generator = generator
    }

    var position: ReplicationPosition {
        log.last?.change.position ?? ReplicationPosition(revision: 0, token: firstToken)
    }

    /// Returns whether an event with a probability occurs now.
    mutating func occurs(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &generator) < probability
    }

    /// Returns a random time up to a longest one, with microsecond precision.
    mutating func drawDelay(upTo longest: Duration) -> Duration {
        guard longest > .zero else { return .zero }
        return .microseconds(Int64.random(in: 0...Int64(longest / .microseconds(1)), using: &generator))
    }

    // MARK: - Commits

    mutating func commit(
        _ commit: ReplicationCommit,
        _ limits: StoreLimits,
        _ now: ReplicationInstant
    ) -> ReplicationAnswer {
        if let answer = verdict(about: commit.identifiers) { return answer }
        if isForgotten(commit.drawn) {
            forgotten.formUnion(commit.identifiers)
            return .forgotten
        }
        if let reason = reasonAgainst(commit, limits) {
            return decide(.refused(.invalid(reason), at: position), commit, now)
        }
        guard commit.expectations.allSatisfy({ holds($0, now) }) else {
            refusals.append(Refused(commit: commit, position: position, instant: now))
            return decide(.refused(.expectation, at: position), commit, now)
        }
        let next = ReplicationPosition(revision: position.revision + 1, token: generator.next())
        for write in commit.writes { apply(write) }
        let answer = decide(.committed(at: next), commit, now)
        let change = ReplicationChange(position: next, identifiers: commit.identifiers, writes: commit.writes)
        log.append(Logged(change: change, commit: commit, instant: now, verdicts: verdictCount))
        return answer
    }

    mutating func outcome(
        of identifier: ReplicationCommit.Identifier,
        _ drawn: ReplicationInstant?,
        _ now: ReplicationInstant
    ) -> ReplicationAnswer {
        if let verdict = verdicts[identifier] { return verdict.answer }
        if isForgotten(drawn) { return .forgotten }
        let commit = ReplicationCommit(identifiers: [identifier], drawn: drawn, writes: [])
        return decide(.refused(.planted, at: position), commit, now)
    }

    private func isForgotten(_ drawn: ReplicationInstant?) -> Bool {
        guard let forgottenUntil else { return false }
        return drawn.map { $0.milliseconds <= forgottenUntil.milliseconds + clockMargin } ?? true
    }

    private func verdict(about identifiers: [ReplicationCommit.Identifier]) -> ReplicationAnswer? {
        let known = identifiers.map { verdicts[$0] }
        if known.allSatisfy({ $0 == nil }) { return nil }
        if let only = known.first, known.count == 1 { return only?.answer }
        let positions = Set(
            known.map { verdict -> ReplicationPosition? in
                if case .committed(let position)? = verdict?.answer { position } else { nil }
            }
        )
        if positions.count == 1, let position = positions.first.flatMap(\.self) { return .committed(at: position) }
        return .refused(.divided, at: position)
    }

    private mutating func decide(
        _ answer: ReplicationAnswer,
        _ commit: ReplicationCommit,
        _ now: ReplicationInstant
    ) -> ReplicationAnswer {
        for identifier in commit.identifiers {
            verdicts[identifier] = Verdict(answer: answer, instant: now, order: verdictCount)
        }
        verdictCount += 1
        latest = max(latest, now)
        return answer
    }

    private func reasonAgainst(_ commit: ReplicationCommit, _ limits: StoreLimits) -> String? {
        if commit.operationCount > limits.operations { return "the commit has too many operations" }
        if commit.byteCount > limits.bytes { return "the commit has too many bytes" }
        if Set(commit.writes.map(\.key)).count < commit.writes.count { return "the commit writes a key twice" }
        for write in commit.writes {
            if write.key.count > limits.keyLength { return "a key is too long" }
            if write.key.isEmpty, !limits.allowsEmptyKeys { return "a key is empty" }
        }
        return nil
    }

    private func holds(_ expectation: ReplicationCommit.Expectation, _ now: ReplicationInstant) -> Bool {
        func isPresent(_ entry: ReplicationSnapshot.Entry) -> Bool { entry.expiry.map { $0 > now } ?? true }
        switch expectation {
        case .value(let value, let key): return table[key].flatMap { isPresent($0) ? $0.value : nil } == value
        case .entries(let entries, let prefix):
            let reserved = Array("\u{0}larder".utf8)
            let found = table.values.filter {
                $0.key.starts(with: prefix) && !$0.key.starts(with: reserved) && isPresent($0)
            }
            return found.sorted { $0.key.lexicographicallyPrecedes($1.key) }
                .map { ReplicationCommit.Pair(key: $0.key, value: $0.value) } == entries
        }
    }

    private mutating func apply(_ write: ReplicationCommit.Write) {
        table[write.key] = write.value.map {
            ReplicationSnapshot.Entry(key: write.key, value: $0, expiry: write.expiry)
        }
    }

    // MARK: - History

    func page(after position: ReplicationPosition, limit: ReplicationPageLimit) -> [ReplicationChange]? {
        guard let start = Int(exactly: position.revision), start >= floor, start <= log.count else { return nil }
        let token = start == 0 ? firstToken : log[start - 1].change.position.token
        guard token == position.token else { return nil }
        var page: [ReplicationChange] = []
        var bytes = 0
        for logged in log[start...] {
            bytes += logged.change.byteCount
            guard page.isEmpty || (page.count < limit.commits && bytes <= limit.bytes) else { break }
            page.append(logged.change)
        }
        return page
    }

    mutating func rewind(by count: Int) {
        late = []
        failovers += 1
        log.removeLast(min(count, log.count))
        floor = min(floor, log.count)
        latest = log.last?.instant ?? ReplicationInstant(milliseconds: .min)
        let kept = log.last?.verdicts ?? 0
        verdicts = verdicts.filter { $0.value.order < kept }
        table = [:]
        for logged in log {
            for write in logged.change.writes { apply(write) }
        }
    }

    mutating func forgetVerdicts() {
        for verdict in verdicts.values { forgottenUntil = max(forgottenUntil ?? verdict.instant, verdict.instant) }
        verdicts = [:]
    }
}
