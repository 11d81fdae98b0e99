import Foundation
import LarderCore
import LarderReplication
import LarderTestTraits
import Testing

/// Random runs of several machines on a simulated cluster; see `SimulatedWorld`.
///
/// `LARDER_RUNS` and `LARDER_SEED` in the environment set the number of runs and the first seed; see `Scripts/torture.sh`.
@Suite(.expectsIssues(.rolledBack))
struct SimulationTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// The number of runs of all kinds together.
    private static let runs = number("LARDER_RUNS") ?? 5_000
    private static let firstSeed = number("LARDER_SEED") ?? 0

    /// Runs one world, and returns the contradiction that was found.
    private func violation(_ seed: UInt64, _ plan: SimulatedWorld.Plan) async -> Violation? {
        await Task.yield()
        do {
            try await SimulatedWorld(seed: seed, plan: plan).run()
            return nil
        } catch {
            return Violation(unexpected: error)
        }
    }

    /// Runs one world, and returns what was found with the steps before.
    private func failure(_ seed: UInt64, _ plan: SimulatedWorld.Plan) async -> String? {
        if let error = await violation(seed, plan) {
            // The same run again, which takes the same course.
            var plan = plan
            plan.isTraced = true
            let world = SimulatedWorld(seed: seed, plan: plan)
            _ = try? await world.run()
            return "seed \(seed): \(error)\n\(await world.trace.suffix(60).joined(separator: "\n"))"
        }
        return nil
    }

    /// What may happen besides faults of the network: nothing, failovers that rewind, verdicts that are forgotten, or expiry.
    @Test(arguments: [UInt64](0..<4))
    func randomRunsKeepThePromises(kind: UInt64) async {
        var plan = SimulatedWorld.Plan()
        plan.rewinds = kind == 1
        plan.forgets = kind == 2
        plan.expires = kind == 3
        for run in 0..<Self.runs / 4 {
            guard let failure = await failure(Self.firstSeed + run * 4 + kind, plan) else { continue }
            Issue.record("\(failure)")
            return
        }
    }

    @Test(arguments: PlantedFault.allCases)
    func plantedFaultIsFound(fault: PlantedFault) async {
        var plan = SimulatedWorld.Plan()
        plan.fault = fault
        // Always the same runs: in others, another consequence of the fault may be found first.
        for seed in UInt64(0)..<100 {
            guard let violation = await violation(seed, plan) else { continue }
            #expect(fault.violations.contains(violation.kind), "seed \(seed): \(violation)")
            // The violation is that of the fault, and not one that the run would have without it.
            #expect(await self.violation(seed, SimulatedWorld.Plan()) == nil, "seed \(seed)")
            return
        }
        Issue.record("The fault was not found in 100 runs.")
    }
}
