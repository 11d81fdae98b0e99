import DeviceStoreProofs
import Foundation
import LarderStores
import Synchronization

/// The long form of the proofs of the device store: `DeviceStoreTorture [IMAGES [KILLS]]`.
///
/// Prints what was counted; ends with 1 when anything was not as it should be.
@main struct Torture {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        var session = TortureSession(images: arguments.first ?? 5_000_000, kills: arguments.dropFirst().first ?? 10_000)
        for io in DeviceStoreOptions.IO.allCases { session.run(io) }
        session.end()
    }
}

/// Everything, one way to reach the file after the other.
struct TortureSession {
    let images: Int
    let kills: Int
    private let began = Date()
    private var failures = 0

    init(images: Int, kills: Int) {
        self.images = images
        self.kills = kills
    }

    mutating func run(_ io: DeviceStoreOptions.IO) {
        print("\(io):")
        powerLoss(io)
        deaths(io)
        faultsAndDamage(io)
        for shape in KillProof.Shape.all {
            let seed = UInt64.random(in: 0 ... .max)
            say("kill -9, \(shape)", KillProof.kill(shape, io, times: kills, seed: seed))
        }
        let seed = UInt64.random(in: 0 ... .max)
        say("kill -9, migration", MigrationKillProof.kill(io, times: kills, seed: seed))
        say("four processes count", CountingProof.count(to: 10_000, io))
        say("a process is stopped", CountingProof.stop(io))
    }

    func end() {
        print("\(failures) failures, \(Int(Date().timeIntervalSince(began))) s")
        exit(failures == 0 ? 0 : 1)
    }

    private mutating func powerLoss(_ io: DeviceStoreOptions.IO) {
        let programs = PowerLossProof.programs(4, of: StoreProgram.Step.basic)
        // About 60 changes to the disk a program: half of the images here, in every program of four steps.
        let perPoint = max(2, images / 2 / programs.count / 60)
        let volume = PowerLossProof.Volume(exhaustive: perPoint, sampled: perPoint, thorough: 16)
        var report = inParallel(programs) { steps, number in
            PowerLossProof.crash(steps, io, volume, seed: number &* 1_000_003)
        }
        say("power loss, all programs of up to four steps", report)
        var seed: UInt64 = 0
        var long = ProofReport(unit: report.unit)
        while report.count + long.count < images {
            let seeds = (0..<64).map { seed + $0 }
            seed += 64
            long.add(
                inParallel(seeds) { seed, _ in
                    PowerLossProof.crash(
                        PowerLossProof.program(seed: seed, length: 14),
                        io,
                        .init(exhaustive: 16, sampled: 32, thorough: 16),
                        seed: seed &* 1_000_003,
                        recordsControlFile: seed % 4 == 0
                    )
                }
            )
            long.add(
                inParallel(seeds) { seed, _ in
                    PowerLossProof.crashTwice(PowerLossProof.program(seed: seed, length: 6), io, seed: seed)
                }
            )
        }
        say("power loss, long programs and two crashes in a row", long)
        report.add(long)
        say("power loss together", report, counting: false)
    }

    private mutating func deaths(_ io: DeviceStoreOptions.IO) {
        let programs = PowerLossProof.programs(images < 1_000_000 ? 2 : 3, of: StoreProgram.Step.allCases)
        for hasWitness in [false, true] {
            let report = inParallel(programs) { steps, _ in
                ProcessDeathProof.kill(in: steps, io, hasWitness: hasWitness, images: 2)
            }
            say("killed at every call\(hasWitness ? ", with another process" : "")", report)
        }
    }

    private mutating func faultsAndDamage(_ io: DeviceStoreOptions.IO) {
        say("every call fails", inParallel(FaultProof.Fault.all) { fault, _ in FaultProof.failEachCall(fault, io) })
        let damage = inParallel(DamageProof.Subject.allCases) { subject, _ in
            do {
                return try DamageProof(subject, io).flipBits()
            } catch {
                var report = ProofReport(unit: "flipped bits")
                report.fail("\(error)")
                return report
            }
        }
        say("every bit", damage)
    }

    // MARK: Saying and dividing

    private mutating func say(_ name: String, _ report: ProofReport, counting: Bool = true) {
        print("  \(name): \(report)")
        fflush(nil)
        if counting { failures += report.failureCount }
    }

    private func inParallel<Part: Sendable>(
        _ parts: [Part],
        _ work: @Sendable (Part, UInt64) -> ProofReport
    ) -> ProofReport {
        let all = Mutex<ProofReport?>(nil)
        DispatchQueue.concurrentPerform(iterations: parts.count) { index in
            let report = work(parts[index], UInt64(index))
            all.withLock { all in
                if all == nil { all = report } else { all?.add(report) }
            }
        }
        return all.withLock { $0 } ?? ProofReport(unit: "nothing")
    }
}
