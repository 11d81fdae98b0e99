import DeviceStoreProofs
import LarderDeviceStore
import LarderTestSupport
import Testing

/// Power loss and the death of processes, on the lying file system; `make torture` does more of the same.
///
/// How much of each is chosen by `make mutations`: several of these tests find each fault that crash images can find.
@Suite struct DeviceStoreCrashTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases, StoreProgram.Step.basic)
    func everyPowerLossInEveryShortProgramLeavesAPrefixWithAllThatWasSynced(
        io: DeviceStoreOptions.IO,
        first: StoreProgram.Step
    ) {
        var report = ProofReport(unit: "crash images")
        let rests = PowerLossProof.programs(upTo: 2, of: StoreProgram.Step.basic)
        for rest in [[]] + rests {
            let volume = PowerLossProof.Volume(exhaustive: 2, sampled: 1, thorough: 16)
            report.add(PowerLossProof.crash([first] + rest, io, volume, isLastStepEnough: true))
        }
        #expect(report.problems(requiring: 150) == [])
        #expect(report.sampled >= 30)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, StoreProgram.Step.allCases)
    func everyPowerLossInEveryProgramOfOneOrTwoStepsOfAllKindsDoesSo(
        io: DeviceStoreOptions.IO,
        first: StoreProgram.Step
    ) {
        var report = ProofReport(unit: "crash images")
        let rests = PowerLossProof.programs(upTo: 1, of: StoreProgram.Step.allCases)
        for rest in [[]] + rests {
            let volume = PowerLossProof.Volume(exhaustive: 2, sampled: 1, thorough: 16)
            report.add(PowerLossProof.crash([first] + rest, io, volume, isLastStepEnough: true))
        }
        #expect(report.problems(requiring: 70) == [])
        #expect(report.sampled >= 5)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, 0..<(ProofVolume.isSmall ? 2 : 4))
    func longProgramsSurvivePowerLosses(io: DeviceStoreOptions.IO, seed: UInt64) {
        let steps = PowerLossProof.program(seed: seed, length: 14)
        let volume = PowerLossProof.Volume(exhaustive: ProofVolume.of(8), sampled: ProofVolume.of(8), thorough: 8)
        let report = PowerLossProof.crash(steps, io, volume, seed: seed * 1_000_003, recordsControlFile: seed % 2 == 0)
        #expect(report.problems(requiring: ProofVolume.of(250)) == [])
        #expect(report.sampled >= ProofVolume.of(100))
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, 0..<(ProofVolume.isSmall ? 2 : 6))
    func aPowerLossWhileRecoveringFromAnotherOneIsSurvived(
        io: DeviceStoreOptions.IO,
        seed: UInt64
    ) {
        let report = PowerLossProof.crashTwice(PowerLossProof.program(seed: seed, length: 6), io, seed: seed)
        #expect(report.problems(requiring: ProofVolume.of(50)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, StoreProgram.Step.allCases.filter { !$0.isOfAnotherProcess })
    func aProcessKilledAtAnyCallLosesNothingThatItAcknowledged(io: DeviceStoreOptions.IO, last: StoreProgram.Step) {
        var report = ProofReport(unit: "deaths")
        // First the one after which every step opens the store, and so makes calls: few proofs have it alone.
        let all: [StoreProgram.Step] = [.reopen, .large, .put, .transaction]
        for first in all.prefix(ProofVolume.isSmall ? 1 : all.count) {
            report.add(ProcessDeathProof.kill(in: [first, last], io, hasWitness: false, images: 1))
            report.add(ProcessDeathProof.kill(in: [first, last], io, hasWitness: true, images: 1))
        }
        #expect(report.problems(requiring: ProofVolume.isSmall ? 60 : 150) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func aFlushAfterACompactionThatWasKilledMakesItDurable(
        io: DeviceStoreOptions.IO
    ) {
        let report = ProcessDeathProof.kill(in: [.large, .compact], io, hasWitness: false, images: ProofVolume.of(6))
        #expect(report.problems(requiring: ProofVolume.of(500)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func aFlushCoversCommitsThatAnotherProcessHadCompactedAway(
        io: DeviceStoreOptions.IO
    ) {
        let steps: [StoreProgram.Step] = [.other, .otherFlushes, .compact, .put, .compact]
        let report = ProcessDeathProof.kill(in: steps, io, hasWitness: true, images: ProofVolume.of(12))
        #expect(report.problems(requiring: ProofVolume.of(500)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func aProcessThatAnotherOneLeftBehindCompacts(
        io: DeviceStoreOptions.IO
    ) {
        let volume = PowerLossProof.Volume(exhaustive: 4, sampled: 4, thorough: 1)
        let report = PowerLossProof.crash([.other, .compact, .put, .otherCompacts, .compact], io, volume)
        #expect(report.problems(requiring: 100) == [])
    }
}
