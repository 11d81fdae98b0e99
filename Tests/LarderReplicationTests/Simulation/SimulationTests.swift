import LarderCore
import LarderReplication
import LarderTestTraits
import Testing

/// Random runs of several machines on a simulated cluster; see `SimulatedWorld`.
@Suite(.expectsIssues(.rolledBack))
struct SimulationTests {
    /// The number of runs of each kind.
    static let runs = 100

    private func failure(_ seed: UInt64, _ plan: SimulatedWorld.Plan) async -> String? {
        await Task.yield()
        do {
            try await SimulatedWorld(seed: seed, plan: plan).run()
            return nil
        } catch {
            guard plan.fault == nil else { return "\(error)" }
            // The same run again, which takes the same course.
            var plan = plan
            plan.isTraced = true
            let world = SimulatedWorld(seed: seed, plan: plan)
            _ = try? await world.run()
            return "seed \(seed): \(error)\n\(await world.trace.suffix(60).joined(separator: "\n"))"
        }
    }

    @Test(arguments: 0..<3)
    func randomRunsKeepThePromises(kind: Int) async {
        var plan = SimulatedWorld.Plan()
        plan.rewinds = kind == 1
        plan.forgets = kind == 2
        for seed in 0..<UInt64(Self.runs) {
            guard let failure = await failure(seed * 3 + UInt64(kind), plan) else { continue }
            Issue.record("\(failure)")
            return
        }
    }

    @Test(arguments: PlantedFault.allCases)
    func plantedFaultIsFound(fault: PlantedFault) async {
        var plan = SimulatedWorld.Plan()
        plan.fault = fault
        for seed in 0..<200 where await failure(UInt64(seed), plan) != nil { return }
        Issue.record("The fault was not found in 200 runs.")
    }
}
