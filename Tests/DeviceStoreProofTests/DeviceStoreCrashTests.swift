import DeviceStoreProofs
import LarderDeviceStore
import LarderTestSupport
import Testing

/// Tests with simulated power losses and process deaths.
///
/// `make torture` runs more of them. The numbers were chosen with `make mutations`, so that several of these tests find each fault that
/// crash images can reveal.
@Suite struct DeviceStoreCrashTests {
    /// Simulates power losses in each program that consists of `first` followed by up to `count` of `steps`.
    private func powerLosses(
        _ first: StoreProgram.Step,
        upTo count: Int,
        of steps: [StoreProgram.Step],
        _ io: DeviceStoreOptions.IO
    ) -> ProofReport {
        var report = ProofReport(unit: "crash images")
        let volume = PowerLossProof.Volume(exhaustive: 2, sampled: 1, thorough: 16)
        for rest in [[]] + PowerLossProof.programs(upTo: count, of: steps) {
            report.add(PowerLossProof.crash([first] + rest, io, volume, isLastStepEnough: true))
        }
        return report
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, StoreProgram.Step.basic)
    func syncedCommitsSurvivePowerLossInShortWorkload(
        io: DeviceStoreOptions.IO,
        first: StoreProgram.Step
    ) {
        let report = powerLosses(first, upTo: 2, of: StoreProgram.Step.basic, io)
        #expect(report.problems(requiring: 150) == [])
        #expect(report.sampled >= 30)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, StoreProgram.Step.allCases)
    func syncedCommitsSurvivePowerLossInTwoStepWorkload(
        io: DeviceStoreOptions.IO,
        first: StoreProgram.Step
    ) {
        let report = powerLosses(first, upTo: 1, of: StoreProgram.Step.allCases, io)
        #expect(report.problems(requiring: 70) == [])
        #expect(report.sampled >= 5)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, 0..<(ProofVolume.isSmall ? 2 : 4))
    func syncedCommitsSurvivePowerLossInLongWorkload(io: DeviceStoreOptions.IO, seed: UInt64) {
        let steps = PowerLossProof.program(seed: seed, length: 14)
        let volume = PowerLossProof.Volume(exhaustive: ProofVolume.of(8), sampled: ProofVolume.of(8), thorough: 8)
        let report = PowerLossProof.crash(steps, io, volume, seed: seed * 1_000_003, recordsControlFile: seed % 2 == 0)
        #expect(report.problems(requiring: ProofVolume.of(250)) == [])
        #expect(report.sampled >= ProofVolume.of(100))
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, 0..<(ProofVolume.isSmall ? 2 : 6))
    func syncedCommitsSurvivePowerLossDuringRecovery(
        io: DeviceStoreOptions.IO,
        seed: UInt64
    ) {
        let report = PowerLossProof.crashTwice(PowerLossProof.program(seed: seed, length: 6), io, seed: seed)
        #expect(report.problems(requiring: ProofVolume.of(50)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, StoreProgram.Step.allCases.filter { !$0.isOfAnotherProcess })
    func acknowledgedCommitsSurviveKillAtAnySystemCall(io: DeviceStoreOptions.IO, last: StoreProgram.Step) {
        var report = ProofReport(unit: "deaths")
        // The first step comes first in few other proofs. After it, every other step opens the store and so makes system calls.
        let all: [StoreProgram.Step] = [.reopen, .large, .put, .transaction]
        for first in all.prefix(ProofVolume.isSmall ? 1 : all.count) {
            report.add(ProcessDeathProof.kill(in: [first, last], io, hasWitness: false, images: 1))
            report.add(ProcessDeathProof.kill(in: [first, last], io, hasWitness: true, images: 1))
        }
        #expect(report.problems(requiring: ProofVolume.isSmall ? 60 : 150) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func flushAfterKilledCompactionMakesCommitsDurable(
        io: DeviceStoreOptions.IO
    ) {
        let report = ProcessDeathProof.kill(in: [.large, .compact], io, hasWitness: false, images: ProofVolume.of(6))
        #expect(report.problems(requiring: ProofVolume.of(500)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func flushMakesCommitsDurableAfterCompactionByAnotherProcess(
        io: DeviceStoreOptions.IO
    ) {
        let steps: [StoreProgram.Step] = [.other, .otherFlushes, .compact, .put, .compact]
        let report = ProcessDeathProof.kill(in: steps, io, hasWitness: true, images: ProofVolume.of(12))
        #expect(report.problems(requiring: ProofVolume.of(500)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func processCanCompactAfterAnotherProcessCompacts(
        io: DeviceStoreOptions.IO
    ) {
        let volume = PowerLossProof.Volume(exhaustive: 4, sampled: 4, thorough: 1)
        let report = PowerLossProof.crash([.other, .compact, .put, .otherCompacts, .compact], io, volume)
        #expect(report.problems(requiring: 100) == [])
    }
}
