import Foundation
import LarderCore
import LarderReplication
import LarderStores
import LarderTesting

/// Random clients on several machines, faults, and time, driven by one seed and judged while they run.
actor SimulatedWorld {
    /// What a run may contain besides faults of the network.
    struct Plan: Sendable {
        var steps = 60
        var fault: PlantedFault?
        /// Whether the history is rewound, after which confirmed commits may be missing.
        var rewinds = false
        /// Whether verdicts are forgotten.
        var forgets = false
        /// Whether values expire.
        var expires = false
        /// Whether ``trace`` is kept.
        var isTraced = false
    }

    /// One machine: its disk, and the processes that have the replica open.
    final class Machine {
        let name: String
        let disk = MemoryStore()
        let time: SimulatedTime
        var processes: [Process] = []
        /// The process that last began to send pending commits, and has not ended that yet unless it was killed.
        var sender: ProcessReplica?
        let visited = VisitedPositions()
        /// What everything follows from that the checker compares.
        struct Judged: Equatable {
            let revision: UInt64
            let acknowledged: Int
            let lost: Int
        }

        /// The state in which this machine was last judged.
        var judged: Judged?
        /// The identifiers of local commits that were acknowledged, or found in the queue after a kill, in order.
        var acknowledged: [ReplicationCommit] = []
        /// The replicated commits of this machine, each with the commits that were pending when it began.
        var replicated: [(value: Int64, pending: [ReplicationCommit.Identifier])] = []

        init(_ name: String, _ time: SimulatedTime) {
            self.name = name
            self.time = time
        }
    }

    struct Process {
        let replica: ProcessReplica
        let engine: SimulatedEngine
        let store: ReplicatedStore
    }

    let plan: Plan
    let seed: UInt64
    var generator: SeededGenerator
    let time = SimulatedTime()
    let cluster: SimulatedCluster
    var machines: [Machine] = []
    var record = HistoryRecord()
    /// Whether replicated commits may overlap.
    private let overlapsCalls: Bool
    /// How many calls wait, one inside the other.
    private var depth = 0
    /// The last value that was written, which no other commit writes; the values of the counter are lower.
    private var lastValue: Int64 = 1_000_000
    private var skew = 0.0
    private var lastSession: UInt64 = 0
    /// The replicated commits that were acknowledged, by the value that each has written.
    var replicated: [(value: Int64, startedAfter: UInt64)] = []
    var refusedValues: [Int64] = []
    var increments = (made: 0, unknown: 0)
    /// The first contradiction that was found.
    var violation: Violation?
    /// What has happened, if the run is traced.
    private(set) var trace: [String] = []

    init(seed: UInt64, plan: Plan) {
        self.seed = seed
        self.plan = plan
        var generator = SeededGenerator(seed: seed)
        let isStrict = Bool.random(using: &generator)
        let delay: Duration = Bool.random(using: &generator) ? .milliseconds(3) : .zero
        overlapsCalls = Int.random(in: 0..<4, using: &generator) == 0
        cluster = SimulatedCluster(
            seed: generator.next(),
            limits: isStrict ? SimulatedCluster.strictLimits : StoreLimits(),
            time: time,
            delay: delay,
            clockMargin: .seconds(3)
        )
        self.generator = generator
    }

    /// Runs the world, heals it, and judges the result.
    func run() async throws {
        time.whilePassing { [weak self] in await self?.passTime() }
        for name in ["a", "b", "c"].prefix(Int.random(in: 2...3, using: &generator)) {
            let skew = Double.random(in: -100_000...100_000, using: &generator)
            let machine = Machine(name, SimulatedTime(skew: skew, of: time))
            machines.append(machine)
            for _ in 0..<Int.random(in: 1...2, using: &generator) { try startProcess(on: machine) }
        }
        for _ in 0..<plan.steps {
            try await step()
            if let violation { throw violation }
        }
        try await heal()
        try judgeEnd()
    }

    // MARK: - Processes

    func startProcess(on machine: Machine) throws {
        let isSlow = Bool.random(using: &generator)
        let replica = ProcessReplica(machine.disk, plan.fault, machine.visited) { [time] in
            if isSlow { try? await time.sleep(for: .microseconds(10)) }
        }
        let engine = cluster.engine(machine.name, faults: randomFaults())
        var options = ReplicatedStoreOptions()
        options.deadline = .milliseconds(400)
        lastSession += 1
        let session = lastSession
        options.environment.session = { session }
        options.environment.time = machine.time
        options.environment.interruptsCalls = false
        options.environment.pageLimit.commits = Int.random(in: 1...5, using: &generator)
        let store = try ReplicatedStore(
            unshared: replica,
            engine: ProcessEngine(engine, replica, plan.fault),
            options: options
        )
        machine.processes.append(Process(replica: replica, engine: engine, store: store))
    }

    /// Replaces processes that were killed, and takes note of writes that they had made.
    func restart(_ machine: Machine) throws {
        guard machine.processes.contains(where: \.replica.isDead) else { return }
        note("restart", machine)
        let count = machine.processes.count
        machine.processes.removeAll(where: \.replica.isDead)
        while machine.processes.count < count { try startProcess(on: machine) }
        let known = Set(machine.acknowledged.flatMap(\.identifiers))
        for commit in try machine.processes[0].store.queued() where known.isDisjoint(with: commit.identifiers) {
            machine.acknowledged.append(commit)
        }
    }

    private func randomFaults() -> SimulatedCluster.Faults {
        guard Bool.random(using: &generator) else { return SimulatedCluster.Faults() }
        return .all(Double.random(in: 0...0.3, using: &generator))
    }

    // MARK: - Steps

    /// Lets other parts of the world act while a call waits.
    private func passTime() async {
        guard depth < 2 else { return }
        depth += 1
        defer { depth -= 1 }
        for _ in 0..<Int.random(in: 0...2, using: &generator) where violation == nil {
            do { try await step() } catch { violation = violation ?? Violation(unexpected: error) }
        }
    }

    private func step() async throws {
        let machine = machines[Int.random(in: 0..<machines.count, using: &generator)]
        let place = Int.random(in: 0..<machine.processes.count, using: &generator)
        let process = machine.processes[place]
        guard !process.replica.isPausing else { return }
        do {
            try await act(Int.random(in: 0..<100, using: &generator), machine, process)
        } catch is ProcessReplica.Killed {
            note("was killed", machine)
        } catch is SimulatedEngine.Unreachable {
            note("unreachable", machine)
        } catch is UnknownOutcome {
            note("unknown outcome", machine)
        }
        for machine in machines { try restart(machine) }
        recordHistory()
        // Judging costs more than the step. What was wrong once mostly stays wrong.
        if Int.random(in: 0..<4, using: &generator) == 0 { try judgeIfChanged(machine) }
    }

    private func act(_ choice: Int, _ machine: Machine, _ process: Process) async throws {
        switch choice {
        case 0..<28: try write(machine, process)
        case 28..<50:
            note("pull", machine)
            _ = try await process.store.pull()
        case 50..<72: try await push(machine, process)
        case 72..<76:
            let isReachable = Bool.random(using: &generator)
            note(isReachable ? "connect" : "cut", machine)
            cluster.setReachable(machine.name, isReachable)
        case 76..<79: process.engine.setFaults(randomFaults())
        case 79..<82:
            note("deliver late commits", machine)
            cluster.deliverLateCommits()
        case 82..<84:
            note("trim", machine)
            recordHistory()
            cluster.trimHistory(keeping: Int.random(in: 0...3, using: &generator))
        case 84..<86: loseState()
        case 86..<88:
            note("kill", machine)
            process.replica.kill()
        case 88..<91:
            let count = Int.random(in: 0...3, using: &generator)
            process.replica.kill(afterCommits: count, makesLast: .random(using: &generator))
        case 91..<92: time.advance(by: .seconds(Int.random(in: 1...86_400, using: &generator)))
        case 92..<93:
            note("sweep", machine)
            _ = try await process.store.sweep()
        case 93..<94:
            let skew = Double.random(in: -1...1, using: &generator)
            cluster.skewClock(by: skew - self.skew)
            self.skew = skew
        case 94..<98: try await commitReplicated(machine, process)
        default: try await increment(machine, process)
        }
    }

    /// Sends pending commits.
    ///
    /// Where commits and verdicts may be lost, only one process of a machine does that at a time, as the lock of `run()` ensures. Otherwise
    /// one could roll a commit back because of a verdict that is then lost, while another one sends it again and it is made.
    private func push(_ machine: Machine, _ process: Process) async throws {
        if plan.rewinds {
            if let sender = machine.sender, !sender.isDead { return }
            machine.sender = process.replica
        }
        defer { if machine.sender === process.replica { machine.sender = nil } }
        note("push", machine)
        _ = try await process.store.push()
    }

    private func loseState() {
        if plan.rewinds {
            recordHistory()
            let before = Set(cluster.history.flatMap(\.identifiers))
            cluster.rewind(by: Int.random(in: 1...3, using: &generator))
            record.lost.formUnion(before.subtracting(cluster.history.flatMap(\.identifiers)))
            note("rewind")
        } else if plan.forgets {
            cluster.forgetVerdicts()
            note("forget")
        }
    }

    func recordHistory() { record.add(cluster.history) }

    func note(_ what: @autoclosure () -> String, _ machine: Machine? = nil) {
        if plan.isTraced { trace.append("\(machine?.name ?? "all"): \(what())") }
    }

    // MARK: - Writes

    private var randomKey: StoreKey {
        StoreKey(["k.1", "k.2", "k.3", "other"][Int.random(in: 0..<4, using: &generator)])
    }

    private func newValue() -> Int64 {
        lastValue += 1
        return lastValue
    }

    private func write(_ machine: Machine, _ process: Process) throws {
        guard !process.replica.overlooksCommits else { return }
        let next = try process.store.endOfQueue().next
        let batch = try randomBatch(process.store)
        if plan.expires, batch.expectations.isEmpty, let write = batch.writes.first, let value = write.value,
            Bool.random(using: &generator)
        {
            let milliseconds = cluster.instant.milliseconds + Int64.random(in: -1_000...5_000, using: &generator)
            let expiry = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            try process.store.set(value, for: write.key, until: expiry)
        } else if try !process.store.commit(batch) {
            throw Violation(.brokenExpectation, "a local expectation that held was refused")
        }
        let end = try process.store.endOfQueue()
        note("write \(batch.writes.map { "\($0.key)=\($0.value.map { "\($0)" } ?? "nil")" })", machine)
        guard end.next == next + 1, let commit = end.last else {
            throw Violation(.lostCommit, "\(machine.name): an acknowledged write is not in the queue")
        }
        machine.acknowledged.append(commit)
    }

    private func randomBatch(_ store: ReplicatedStore) throws -> StoreBatch {
        var batch = StoreBatch()
        let key = randomKey
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1: batch.set(.int(newValue()), for: key)
        case 2: batch.remove(key)
        case 3:
            batch.set(.int(newValue()), for: key)
            batch.write(Bool.random(using: &generator) ? .int(newValue()) : nil, for: randomKey)
        case 4:
            batch.expect(try store.get(key), at: key)
            batch.set(.int(newValue()), for: Bool.random(using: &generator) ? key : randomKey)
        default:
            batch.expect(try store.entries(prefix: "k."), prefix: "k.")
            batch.set(.int(newValue()), for: key)
        }
        return batch
    }

    /// Whether a call may begin now that waits for the cluster.
    ///
    /// In some runs, one may begin while another one waits. Every such run takes twice as long.
    private var mayWait: Bool { depth == 0 || (depth == 1 && overlapsCalls) }

    private func commitReplicated(_ machine: Machine, _ process: Process) async throws {
        guard mayWait else { return }
        let (key, value) = (randomKey, newValue())
        var batch = StoreBatch()
        if Bool.random(using: &generator) { batch.expect(try process.store.confirmed.get(key), at: key) }
        batch.set(.int(value), for: key)
        let before = replicated.compactMap { record.revision(ofValue: $0.value) }.max() ?? 0
        note("replicate \(key)=\(value)", machine)
        machine.replicated.append((value, try process.store.queued().flatMap(\.identifiers)))
        process.replica.overlookPendingCommits()
        do {
            let isCommitted = try await process.store.commit(batch, durability: .replicated)
            recordHistory()
            // What a process finds out after it was killed reaches no caller.
            guard !process.replica.isDead else { return }
            if isCommitted {
                replicated.append((value, before))
                try judgeReplicated(value, machine, process)
            } else {
                refusedValues.append(value)
            }
        } catch let error as StoreError where error.code == .notConfirmed {
            note("not confirmed", machine)
            if !process.replica.isDead, error.message.contains("Nothing has changed") { refusedValues.append(value) }
        }
    }

    private func increment(_ machine: Machine, _ process: Process) async throws {
        guard mayWait else { return }
        note("increment", machine)
        do {
            try await process.store.clusterTransaction(attempts: 5) { transaction in
                let number = try transaction.value(Int.self, for: "counter") ?? 0
                try transaction.set(number + 1, for: "counter")
            }
            increments.made += 1
        } catch let error as StoreError where error.code == .notConfirmed || error.code == .conflict {
            let isKnown = error.code == .conflict || error.message.contains("Nothing has changed")
            if process.replica.isDead || !isKnown { increments.unknown += 1 }
        } catch {
            increments.unknown += 1
            throw error
        }
    }

    // MARK: - The end

    /// Removes all faults and lets the machines exchange commits until nothing is left to do.
    private func heal() async throws {
        note("heal")
        time.whilePassing {}
        cluster.deliverLateCommits()
        for machine in machines {
            cluster.setReachable(machine.name, true)
            for process in machine.processes { process.engine.setFaults(SimulatedCluster.Faults()) }
        }
        var rounds = 0
        var isIdle = false
        while !isIdle {
            rounds += 1
            guard rounds < 200 else { throw Violation(.notAtRest, "the machines do not come to rest") }
            isIdle = true
            for machine in machines {
                try restart(machine)
                for process in machine.processes {
                    process.engine.setFaults(SimulatedCluster.Faults())
                    do {
                        for _ in 0..<2 where try await process.store.pull() != .idle { isIdle = false }
                        if try await process.store.push() != .idle { isIdle = false }
                    } catch is ProcessReplica.Killed {
                        isIdle = false
                    }
                }
            }
        }
        recordHistory()
    }
}

/// A contradiction to a promise.
struct Violation: Error, CustomStringConvertible {
    /// The promise that is broken.
    enum Kind: String, Sendable {
        case inconsistentReplica, unknownPosition, wrongPrefix, wrongReads, wrongOrder, lostCommit, rejectedButMade
        case unexplainedRejection, madeTwice, brokenExpectation, alteredCommit, realTime, wrongCounter, notAtRest
        /// A call threw an error that no fault explains.
        case unexpectedError
    }

    let kind: Kind
    let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = "\(kind): \(description)"
    }

    init(unexpected error: any Error) {
        if let violation = error as? Violation { self = violation } else { self.init(.unexpectedError, "\(error)") }
    }
}
