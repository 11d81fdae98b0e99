package import LarderDeviceStore
import LarderTestSupport

/// Power loss: each commit is there whole or not at all, every synced one is there, and what is there is a prefix of the order.
package enum PowerLossProof {
    /// How much of it.
    package struct Volume: Sendable {
        /// Up to how many images with every choice made in every way, after each event; where there are more, these first ones;
        /// at least 2, which tell that there is a choice.
        package var exhaustive: Int
        /// How many more, by chance and torn between bytes, wherever there is a choice.
        package var sampled: Int
        /// Of how many images one is written to and opened again.
        package var thorough: Int

        package init(exhaustive: Int, sampled: Int, thorough: Int) {
            self.exhaustive = exhaustive
            self.sampled = sampled
            self.thorough = thorough
        }
    }

    /// All programs of `length` steps of `alphabet`; shorter ones are the beginnings of these.
    package static func programs(_ length: Int, of alphabet: [StoreProgram.Step]) -> [[StoreProgram.Step]] {
        var programs: [[StoreProgram.Step]] = [[]]
        for _ in 0..<length { programs = programs.flatMap { program in alphabet.map { program + [$0] } } }
        return programs
    }

    /// A random program.
    package static func program(seed: UInt64, length: Int) -> [StoreProgram.Step] {
        var generator = SplitMix64(seed: seed)
        return (0..<length).map { _ in StoreProgram.Step.allCases.randomElement(using: &generator) ?? .put }
    }

    /// All programs of one step, of two and so on up to `length`: for looking at the last step of each.
    package static func programs(upTo length: Int, of alphabet: [StoreProgram.Step]) -> [[StoreProgram.Step]] {
        (1...length).flatMap { programs($0, of: alphabet) }
    }

    /// Crashes one program after each change to the disk, in many ways.
    ///
    /// With `isLastStepEnough` the steps before the last are left alone, because the programs that they are get their own turn.
    package static func crash(
        _ steps: [StoreProgram.Step],
        _ io: DeviceStoreOptions.IO,
        _ volume: Volume,
        seed: UInt64 = 1,
        recordsControlFile: Bool = false,
        isLastStepEnough: Bool = false
    ) -> ProofReport {
        var report = ProofReport(unit: "crash images")
        report.programs = 1
        do {
            let disk = SimulatedStore.disk(recordsControlFile: recordsControlFile)
            let program = try StoreProgram(steps, io, on: disk)
            let first = isLastStepEnough && steps.count > 1 ? program.beginningOfLastStep : 0
            var uncertain: Set<Int> = []
            func look(_ image: CrashImage, _ kind: String) {
                report.count += 1
                let thoroughly = report.count % volume.thorough == 0
                guard let problem = program.problem(with: image, thoroughly: thoroughly) else { return }
                report.fail(
                    "\(io) \(steps) after \(image.eventCount) events, \(kind) image \(image.number): \(problem)"
                )
            }
            try disk.forEachCrashImage(atLeast: 1, from: first, limit: max(2, volume.exhaustive)) { image in
                if image.number == 1 { uncertain.insert(image.eventCount) }
                look(image, "exhaustive")
            }
            if volume.sampled > 0 {
                // There may be no point with a choice.
                try disk.forEachSampledCrashImage(
                    atLeast: 0,
                    from: first,
                    seed: seed,
                    perPoint: volume.sampled,
                    where: uncertain.contains
                ) { look($0, "sampled") }
            }
        } catch {
            report.fail("\(io) \(steps): \(error)")
        }
        return report
    }

    /// Crashes a program, lets another process open what is left, crashes that while it does, and looks.
    package static func crashTwice(
        _ steps: [StoreProgram.Step],
        _ io: DeviceStoreOptions.IO,
        seed: UInt64
    ) -> ProofReport {
        var report = ProofReport(unit: "crash images")
        report.programs = 1
        do {
            let program = try StoreProgram(steps, io, on: SimulatedStore.disk())
            for number in 0..<6 {
                let second = program.disk.afterPowerLoss(seed: seed &* 31 &+ UInt64(number))
                second.leaveUnrecorded(suffix: ".ctl")
                // What it holds after the first crash may not be lost by the second.
                let found = try silently { try SimulatedStore(on: second, io).open().contents() }
                guard let state = program.states.indices.last(where: { program.states[$0] == found }) else {
                    report.fail("\(io) \(steps), seed \(seed): a state that never was")
                    continue
                }
                let opened = second.eventCount
                try second.forEachSampledCrashImage(atLeast: 1, seed: seed, perPoint: 6) { image in
                    report.count += 1
                    let promised = image.eventCount >= opened ? state : program.promised
                    if let problem = program.problem(on: image.fileSystem, promised: promised, thoroughly: true) {
                        report.fail(
                            "\(io) \(steps), crashed twice, seed \(seed), \(number), \(image.number): \(problem)"
                        )
                    }
                }
            }
        } catch {
            report.fail("\(io) \(steps), crashed twice, seed \(seed): \(error)")
        }
        return report
    }
}
