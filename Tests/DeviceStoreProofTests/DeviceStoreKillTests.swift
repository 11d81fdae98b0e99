import DeviceStoreProofs
import Foundation
import LarderDeviceStore
import Testing

/// Tests of real processes on the real file system that are killed while they write.
@Suite(.serialized) struct DeviceStoreKillTests {
    /// The number of times that a process is killed, which is 20 unless the environment sets another number.
    ///
    /// With `make mutations`, 5 times are enough to find all faults that kills can reveal.
    private static let kills =
        ProcessInfo.processInfo.environment["LARDER_KILLS"].flatMap { Int($0) } ?? ProofVolume.of(20)

    @Test(arguments: DeviceStoreOptions.IO.allCases, KillProof.Shape.all) func acknowledgedCommitsSurviveProcessKill(
        io: DeviceStoreOptions.IO,
        shape: KillProof.Shape
    ) {
        let report = KillProof.kill(shape, io, times: Self.kills, seed: 1)
        #expect(report.problems(requiring: Self.kills) == [])
        #expect(report.count == Self.kills)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func migrationIsAtomicWhenProcessIsKilled(
        io: DeviceStoreOptions.IO
    ) {
        let report = MigrationKillProof.kill(io, times: Self.kills, seed: 1)
        #expect(report.problems(requiring: Self.kills) == [])
        #expect(report.count == Self.kills)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func nextOpenSucceedsAfterKillDuringOpen(
        io: DeviceStoreOptions.IO
    ) {
        let kills = min(Self.kills, 6)
        let report = OpeningKillProof.kill(io, times: kills, seed: 1)
        #expect(report.problems(requiring: kills) == [])
    }
}
