package import LarderDeviceStore
import LarderTestSupport

/// A proof that after a power loss, every commit is complete or absent, and every synced commit is present.
///
/// The surviving commits must be a prefix of all commits.
package enum PowerLossProof {
    /// The number of crash images.
    package struct Volume: Sendable {
        /// The maximum number of images after each event, from all combinations of choices.
        ///
        /// The value is at least 2, because a second image shows that there is a choice.
        package var exhaustive: Int
        /// The number of additional random images, with writes torn between bytes, after each event that allows a choice.
        package var sampled: Int
        /// The number of images of which one is checked thoroughly, by also writing to the store and opening it again.
        package var thorough: Int

        package init(exhaustive: Int, sampled: Int, thorough: Int) {
            self.exhaustive = exhaustive
            self.sampled = sampled
            self.thorough = thorough
        }
    }

    /// Returns all programs of `length` steps from `alphabet`.
    ///
    /// Shorter programs are prefixes of these programs.
    package static func programs(_ length: Int, of alphabet: [StoreProgram.Step]) -> [[StoreProgram.Step]] {
        var programs: [[StoreProgram.Step]] = [[]]
        for _ in 0..<length { programs = programs.flatMap { program in alphabet.map { program + [$0] } } }
        return programs
    }

    /// Returns a random program.
    package static func program(seed: UInt64, length: Int) -> [StoreProgram.Step] {
        var generator = SplitMix64(seed: seed)
        return (0..<length).map { _ in StoreProgram.Step.allCases.randomElement(using: &generator) ?? .put }
    }

    /// Returns all programs of 1 to `length` steps, for proofs that check only the last step of each program.
    package static func programs(upTo length: Int, of alphabet: [StoreProgram.Step]) -> [[StoreProgram.Step]] {
        (1...length).flatMap { programs($0, of: alphabet) }
    }

    /// Simulates many power losses in one program, after each change to the disk.
    ///
    /// If `isLastStepEnough` is `true`, only changes of the last step are covered, because other programs cover the earlier steps.
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
                // There may be no event with a choice; the caller checks the total number.
                try disk.forEachSampledCrashImage(
                    atLeast: uncertain.count * volume.sampled,
                    from: first,
                    seed: seed,
                    perPoint: volume.sampled,
                    where: uncertain.contains
                ) { image in
                    report.sampled += 1
                    look(image, "sampled")
                }
            }
        } catch {
            report.fail("\(io) \(steps): \(error)")
        }
        return report
    }

    /// Simulates power loss in a program, another power loss while another process opens the result, and checks the store.
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
                // The second power loss must not lose the content after the first.
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
