import DeviceStoreModel
import DeviceStoreProofs
import Foundation
import LarderDeviceStore
import Synchronization

/// The long form of the proofs of the device store: `DeviceStoreTorture [IMAGES [KILLS]]`.
///
/// Prints the numbers of checks. Exits with 1 if any check failed.
@main struct Torture {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let session = TortureSession(images: arguments.first ?? 5_000_000, kills: arguments.dropFirst().first ?? 10_000)
        // An argument with the name of an IO mode restricts the run to that mode.
        let named = DeviceStoreOptions.IO.allCases.filter { CommandLine.arguments.contains("\($0)") }
        for io in named.isEmpty ? DeviceStoreOptions.IO.allCases : named { session.run(io) }
        session.end()
    }
}

/// A run of all proofs in each IO mode.
final class TortureSession: Sendable {
    let images: Int
    let kills: Int
    private let began = Date()
    private let failures = Mutex(0)

    init(images: Int, kills: Int) {
        self.images = images
        self.kills = kills
    }

    func run(_ io: DeviceStoreOptions.IO) {
        print("\(io):")
        remarkWayUsed(io)
        powerLoss(io)
        deaths(io)
        faults(io)
        damage(io)
        maintenance(io)
        model(io)
        killing(io)
        say("four processes count", CountingProof.count(to: 10_000, io))
        say("a process is stopped", CountingProof.stop(io))
        let removals = max(20, kills / 50)
        say("the control file is removed", ControlRemovalProof.remove(io, times: removals), requiring: removals)
    }

    func end() {
        let failures = failures.withLock { $0 }
        print("\(failures) failures, \(Int(Date().timeIntervalSince(began))) s")
        exit(failures == 0 ? 0 : 1)
    }

    /// Adds a remark if the file system does not support the IO mode for real files.
    private func remarkWayUsed(_ io: DeviceStoreOptions.IO) {
        var report = ProofReport(unit: "stores opened by another process")
        report.programs = 1
        do {
            report.note(try HelperProcess.wayUsed(for: io), for: io)
            report.count = 1
        } catch {
            report.fail("\(error)")
        }
        say("real files in \(NSTemporaryDirectory())", report)
    }

    private func powerLoss(_ io: DeviceStoreOptions.IO) {
        let length = images < 1_000_000 ? 3 : 4
        let few = PowerLossProof.Volume(exhaustive: 4, sampled: 4, thorough: 16)
        var report = lastSteps(of: PowerLossProof.programs(upTo: length, of: StoreProgram.Step.allCases), io, few)
        say("power loss, all programs of up to \(length) steps of every kind", report)
        let basic = PowerLossProof.programs(upTo: 4, of: StoreProgram.Step.basic)
        // About 5 disk changes per step: a quarter of the images goes to points with that many.
        let perPoint = max(2, images / 4 / basic.count / 5 / 2)
        let closer = lastSteps(of: basic, io, .init(exhaustive: perPoint, sampled: perPoint, thorough: 16))
        say("power loss, all programs of up to four steps of \(StoreProgram.Step.basic.count) kinds, closer", closer)
        report.add(closer)
        var seed: UInt64 = 0
        var long = ProofReport(unit: report.unit)
        var noted = 0
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
            if long.count >= noted + images / 10 {
                noted = long.count
                note("\(io), power loss, long programs: \(noted) \(long.unit)")
            }
        }
        say("power loss, long programs and two crashes in a row", long)
        report.add(long)
        say("power loss together", report, requiring: images, counting: false)
    }

    /// Simulates power losses after every change that the last step of a program makes.
    private func lastSteps(
        of programs: [[StoreProgram.Step]],
        _ io: DeviceStoreOptions.IO,
        _ volume: PowerLossProof.Volume
    ) -> ProofReport {
        inParallel(programs) { steps, number in
            PowerLossProof.crash(steps, io, volume, seed: number &* 1_000_003, isLastStepEnough: true)
        }
    }

    private func deaths(_ io: DeviceStoreOptions.IO) {
        let programs = PowerLossProof.programs(images < 1_000_000 ? 2 : 3, of: StoreProgram.Step.allCases)
        for hasWitness in [false, true] {
            let report = inParallel(programs) { steps, _ in
                ProcessDeathProof.kill(in: steps, io, hasWitness: hasWitness, images: 2)
            }
            say("killed at every call\(hasWitness ? ", with another process" : "")", report)
        }
    }

    private func faults(_ io: DeviceStoreOptions.IO) {
        say("every call fails", inParallel(FaultProof.Fault.all) { fault, _ in FaultProof.failEachCall(fault, io) })
        say(
            "signals cut every call short",
            inParallel(InterruptionProof.Way.allCases) { way, _ in InterruptionProof.cutEachCall(way, io) }
        )
    }

    private func damage(_ io: DeviceStoreOptions.IO) {
        let subjects = DamageProof.Subject.allCases
        say("every bit", attempting(subjects) { subject, _ in try DamageProof(subject, io).flipBits() })
        say("every length", attempting(subjects) { subject, _ in try DamageProof(subject, io).truncate() })
    }

    /// Runs the proofs that interrupt repairs and backups.
    private func maintenance(_ io: DeviceStoreOptions.IO) {
        let volume = PowerLossProof.Volume(exhaustive: 20, sampled: 20, thorough: 2)
        let faults = FaultProof.Fault.all
        let repairs = DamagedStore.Kind.allCases.flatMap { kind in kind.ways.map { (kind, $0) } }
        let failing = repairs.flatMap { repair in faults.map { (repair, $0) } }
        say(
            "repair, every call fails",
            attempting(failing) { part, _ in
                try RepairProof(part.0.0, part.0.1, io).failEachCall(part.1, images: 1)
            }
        )
        say(
            "repair, killed at every call",
            attempting(repairs) { repair, _ in try RepairProof(repair.0, repair.1, io).killAtEachCall(images: 2) }
        )
        say(
            "repair, power loss",
            attempting(repairs) { repair, seed in
                try RepairProof(repair.0, repair.1, io).crash(volume, seed: seed)
            }
        )
        let backups = BackupProof.Meanwhile.allCases
        say(
            "backup, every call fails",
            inParallel(backups.flatMap { backup in faults.map { (backup, $0) } }) { part, _ in
                BackupProof(part.0, io).failEachCall(part.1, images: 1)
            }
        )
        say(
            "backup, killed at every call",
            inParallel(backups) { part, _ in
                BackupProof(part, io).killAtEachCall(images: 2)
            }
        )
        say("backup, power loss", inParallel(backups) { part, seed in BackupProof(part, io).crash(volume, seed: seed) })
    }

    /// Compares random programs, which differ from those of the tests, with a dictionary and with SQLite.
    private func model(_ io: DeviceStoreOptions.IO) {
        let seeds = (0..<UInt64(images < 1_000_000 ? 4 : 100)).map { 1_000 + $0 }
        say(
            "random programs beside SQLite",
            inParallel(seeds) { seed, _ in ModelRun.check(seed: seed, steps: 5_000, io) }
        )
    }

    /// Kills processes in parallel, each with its own store, because they mostly wait.
    private func killing(_ io: DeviceStoreOptions.IO) {
        var loops: [@Sendable () -> Void] = KillProof.Shape.all.map { shape in
            {
                let seed = UInt64.random(in: 0 ... .max)
                let report = KillProof.kill(shape, io, times: self.kills, seed: seed) { count in
                    if count % 1_000 == 0 { self.note("\(io), \(shape): \(count) kills") }
                }
                self.say("kill -9, \(shape)", report, requiring: self.kills)
            }
        }
        loops.append {
            let seed = UInt64.random(in: 0 ... .max)
            self.say(
                "kill -9, migration",
                MigrationKillProof.kill(io, times: self.kills, seed: seed),
                requiring: self.kills
            )
        }
        loops.append {
            let seed = UInt64.random(in: 0 ... .max)
            self.say("kill -9, opening", OpeningKillProof.kill(io, times: max(1, self.kills / 10), seed: seed))
        }
        let done = DispatchSemaphore(value: 0)
        for loop in loops {
            Thread.detachNewThread {
                loop()
                done.signal()
            }
        }
        for _ in loops { done.wait() }
    }

    // MARK: Output and concurrency

    /// Prints progress to standard error.
    private func note(_ progress: String) {
        FileHandle.standardError.write(
            Data("    \(Int(Date().timeIntervalSince(began))) s: \(progress) so far\n".utf8)
        )
    }

    /// Prints the coverage and the failures of a proof; a proof that covered less than `minimum` has failed.
    private func say(_ name: String, _ report: ProofReport, requiring minimum: Int = 1, counting: Bool = true) {
        print("  \(Int(Date().timeIntervalSince(began))) s: \(name): \(report)")
        if report.count < minimum { print("  Covered \(report.count) \(report.unit), and the proof needs \(minimum).") }
        fflush(nil)
        if counting { failures.withLock { $0 += report.problemCount(requiring: minimum) } }
    }

    /// Returns the report of `body`, in which a thrown error is a failure.
    private func attempting<Part: Sendable>(
        _ parts: [Part],
        _ work: @Sendable (Part, UInt64) throws -> ProofReport
    ) -> ProofReport {
        inParallel(parts) { part, number in
            do {
                return try work(part, number)
            } catch {
                var report = ProofReport(unit: "nothing")
                report.fail("\(part): \(error)")
                return report
            }
        }
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
