import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import LarderTestTraits
import Testing

/// Calls to the real system that are cut short, or for which the disk has no room, in a process of their own.
@Suite(.serialized, .expectsIssues(.degraded)) struct DeviceStoreCallTests {
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
        #if os(Linux) && _pointerBitWidth(_64)
        let minimum = 1
        #else
        let minimum = 0
        #endif
        #expect(report.problems(requiring: minimum) == [])
    }

    /// Small changes, made after there was no room for more.
    private func expectManyChanges(_ helper: HelperProcess) throws {
        #expect(try Int(helper.finish().filter(\.isNumber)) ?? 0 > 100)
    }

    /// The file may not grow beyond a limit of the process: what any user can set.
    @Test(arguments: DeviceStoreOptions.IO.allCases) func smallChangesWorkWhenTheFileMayNotGrow(
        io: DeviceStoreOptions.IO
    ) throws {
        let directory = try TemporaryDirectory()
        try expectManyChanges(HelperProcess("fill", io, directory.path("s.larder"), ["\(300 << 10)"]))
    }

    /// A disk of 512 KiB that is mounted for this one process.
    @Test(
        .enabled(if: HelperProcess.canMount, "mounting needs user namespaces"),
        arguments: DeviceStoreOptions.IO.allCases
    )
    func smallChangesWorkOnAFullDisk(io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        try expectManyChanges(HelperProcess(onDiskOf: 512, at: directory.path, "fill", io, "s.larder"))
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
