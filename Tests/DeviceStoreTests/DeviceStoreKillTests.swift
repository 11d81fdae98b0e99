import DeviceStoreProofs
import Foundation
import LarderStores
import LarderTestSupport
import Testing

/// Real processes on the real file system.
@Suite(.serialized) struct DeviceStoreKillTests {
    /// 50 kills, unless the environment asks for more.
    private static let kills =
        ProcessInfo.processInfo.environment["LARDER_KILLS"].flatMap { Int($0) } ?? ProofVolume.of(50)

    /// Where it is skipped "mapped" stands for system calls in all that follows, which proves these then.
    @Test(.enabled(if: HelperProcess.canMap, "nothing is mapped where temporary files lie: TMPDIR tells where"))
    func whatIsMeantToBeMappedIsMapped() throws {
        #expect(try HelperProcess.wayUsed(for: .mapped) == .mapped)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, KillProof.Shape.all) func nothingAcknowledgedIsLostByKilling(
        io: DeviceStoreOptions.IO,
        shape: KillProof.Shape
    ) {
        let report = KillProof.kill(shape, io, times: Self.kills, seed: 1)
        #expect(report.failures == [])
        #expect(report.count == Self.kills)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func fourProcessesCountWithoutLosingOneAndReadersSeeNoTornTransaction(io: DeviceStoreOptions.IO) {
        let report = CountingProof.count(to: ProofVolume.of(10_000), io)
        #expect(report.failures == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func aProcessStoppedInsideTheLockMakesTheOthersBusyAndNoMore(
        io: DeviceStoreOptions.IO
    ) {
        let report = CountingProof.stop(io)
        #expect(report.failures == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func callsThatASignalCutsShortAreContinued(
        io: DeviceStoreOptions.IO
    ) throws {
        let directory = try TemporaryDirectory()
        let printed = try HelperProcess("interrupted", io, directory.path("s.larder")).finish()
        // A commit through a mapped tail makes no call that could be cut short; syncing, compacting and opening do.
        let expected = io == .mapped ? 50 : 1_000
        #expect(printed == "unsupported\n" || Int(printed.filter(\.isNumber)) ?? 0 > expected, "\(printed)")
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func roomThatCanNotBeReservedIsWritten(
        io: DeviceStoreOptions.IO
    ) throws {
        let directory = try TemporaryDirectory()
        let printed = try HelperProcess("unreserved", io, directory.path("s.larder")).finish()
        #expect(printed == "unsupported\n" || Int(printed.filter(\.isNumber)) ?? 0 > 5, "\(printed)")
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, InterruptionProof.Way.allCases)
    func whateverCallASignalCutsShortNobodyNotices(io: DeviceStoreOptions.IO, way: InterruptionProof.Way) {
        let report = InterruptionProof.cutEachCall(way, io, stride: (way.isOnce ? 19 : 53) * ProofVolume.step)
        #expect(report.failures == [])
        #if os(Linux) && _pointerBitWidth(_64)
        #expect(report.count > 0)
        #endif
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func aMigrationKilledAnywhereIsWholeOrNotThere(
        io: DeviceStoreOptions.IO
    ) {
        let report = MigrationKillProof.kill(io, times: Self.kills, seed: 1)
        #expect(report.failures == [])
        #expect(report.count == Self.kills)
    }

    /// A run of the tests that was killed once left a process that wrote for half an hour, and 60 GB.
    @Test func aHelperEndsWithTheTestThatStartedIt() throws {
        let directory = try TemporaryDirectory()
        let helper = try HelperProcess("big", .mapped, directory.path("s.larder"))
        let sibling = try HelperProcess("big", .mapped, directory.path("t.larder"))
        defer { sibling.send(SIGKILL) }
        try helper.letGo()
        helper.process.waitUntilExit()
        #expect(helper.process.terminationStatus == HeldProcess.endedLetGo)
    }

    /// As one does in which a sanitizer finds much.
    @Test func aHelperMayComplainOfMoreThanAPipeHolds() throws {
        let helper = try HelperProcess("complain", .systemCalls, "/nowhere", ["300000"])
        let failure = #expect(throws: HelperProcess.Failure.self) { try helper.finish() }
        #expect(failure.map { $0.description.count > 300_000 } == true)
    }

    /// The file may not grow beyond a limit of the process: what any user can set.
    @Test(arguments: DeviceStoreOptions.IO.allCases) func smallChangesWorkWhenTheFileMayNotGrow(
        io: DeviceStoreOptions.IO
    ) throws {
        let directory = try TemporaryDirectory()
        let helper = try HelperProcess("fill", io, directory.path("s.larder"), ["\(300 << 10)"])
        #expect(try Int(helper.finish().filter(\.isNumber)) ?? 0 > 100)
    }

    /// A disk of 512 KiB that is mounted for this one process.
    @Test(
        .enabled(if: HelperProcess.canMount, "mounting needs user namespaces"),
        arguments: DeviceStoreOptions.IO.allCases
    )
    func smallChangesWorkOnAFullDisk(io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        let helper = try HelperProcess(onDiskOf: 512, at: directory.path, "fill", io, "s.larder")
        #expect(try Int(helper.finish().filter(\.isNumber)) ?? 0 > 100)
    }

    /// Where the control file has been made, its page has no place on that disk.
    @Test(
        .enabled(if: HelperProcess.canMount, "mounting needs user namespaces"),
        arguments: DeviceStoreOptions.IO.allCases
    )
    func openingANewStoreOnAFullDiskIsToldAsThat(io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        _ = try HelperProcess(onDiskOf: 512, at: directory.path, "fullControl", io, "s.larder").finish()
    }
}
