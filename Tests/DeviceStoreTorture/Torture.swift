import DeviceStoreProofs
import Foundation
import LarderStores

@main struct Torture {
    static func main() {
        let began = Date()
        var report = ProofReport(unit: "crash images")
        for steps in PowerLossProof.programs(2, of: StoreProgram.Step.allCases) {
            report.add(PowerLossProof.crash(steps, .systemCalls, .init(exhaustive: 12, sampled: 8, thorough: 8)))
        }
        print(report, Date().timeIntervalSince(began))
        var deaths = ProofReport(unit: "deaths")
        for steps in PowerLossProof.programs(2, of: StoreProgram.Step.allCases) {
            deaths.add(ProcessDeathProof.kill(in: steps, .systemCalls, hasWitness: false, images: 3))
            deaths.add(ProcessDeathProof.kill(in: steps, .systemCalls, hasWitness: true, images: 3))
        }
        let seldom: [StoreProgram.Step] = [.other, .otherFlushes, .compact, .put, .compact]
        deaths.add(ProcessDeathProof.kill(in: seldom, .systemCalls, hasWitness: true, images: 30))
        print(deaths, Date().timeIntervalSince(began))
    }
}
