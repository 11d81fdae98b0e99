import DeviceStoreProofs
import Foundation
import LarderDeviceStore
import Testing

/// Real processes on the real file system that are killed while they write.
@Suite(.serialized) struct DeviceStoreKillTests {
    /// 20 kills, unless the environment asks for more or fewer: 5 find the faults of `make mutations` that kills can find.
    private static let kills =
        ProcessInfo.processInfo.environment["LARDER_KILLS"].flatMap { Int($0) } ?? ProofVolume.of(20)

    @Test(arguments: DeviceStoreOptions.IO.allCases, KillProof.Shape.all) func nothingAcknowledgedIsLostByKilling(
        io: DeviceStoreOptions.IO,
        shape: KillProof.Shape
    ) {
        let report = KillProof.kill(shape, io, times: Self.kills, seed: 1)
        #expect(report.problems(requiring: Self.kills) == [])
        #expect(report.count == Self.kills)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func aMigrationKilledAnywhereIsWholeOrNotThere(
        io: DeviceStoreOptions.IO
    ) {
        let report = MigrationKillProof.kill(io, times: Self.kills, seed: 1)
        #expect(report.problems(requiring: Self.kills) == [])
        #expect(report.count == Self.kills)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func anOpeningKilledAnywhereOwesTheNextOneNothing(
        io: DeviceStoreOptions.IO
    ) {
        let kills = min(Self.kills, 6)
        let report = OpeningKillProof.kill(io, times: kills, seed: 1)
        #expect(report.problems(requiring: kills) == [])
    }
}
