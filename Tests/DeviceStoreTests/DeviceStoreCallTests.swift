import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import LarderTestTraits
import Testing

/// Tests in a separate process in which system calls are interrupted or the disk is full.
@Suite(.serialized, .expectsIssues(.degraded)) struct DeviceStoreCallTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases) func interruptedSystemCallsAreRetried(
        io: DeviceStoreOptions.IO
    ) throws {
        let directory = try TemporaryDirectory()
        let printed = try HelperProcess("interrupted", io, directory.path("s.larder")).finish()
        // A memory-mapped commit makes no call that could be interrupted. Syncing, compacting and opening do.
        let expected = io == .mapped ? 50 : 1_000
        expectMore(than: expected, printed)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func interruptedSystemCallsAreRetriedIfSpaceCannotBeReserved(
        io: DeviceStoreOptions.IO
    ) throws {
        let directory = try TemporaryDirectory()
        let printed = try HelperProcess("unreserved", io, directory.path("s.larder")).finish()
        expectMore(than: 5, printed)
    }

    #if os(Linux) && _pointerBitWidth(_64)
    private static let canInterrupt = true
    #else
    private static let canInterrupt = false
    #endif

    /// Checks that more than `minimum` calls were interrupted, unless interruption is not supported.
    private func expectMore(than minimum: Int, _ printed: String) {
        if printed == "unsupported\n" {
            #expect(!Self.canInterrupt)
        } else {
            #expect(Int(printed.filter(\.isNumber)) ?? 0 > minimum, "\(printed)")
        }
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, InterruptionProof.Way.allCases)
    func interruptingAnySystemCallDoesNotAffectStore(io: DeviceStoreOptions.IO, way: InterruptionProof.Way) {
        let report = InterruptionProof.cutEachCall(way, io, stride: (way.isOnce ? 19 : 53) * ProofVolume.step)
        #expect(report.problems(requiring: Self.canInterrupt ? 1 : 0) == [])
    }

    /// Checks that the helper made many small changes after the disk was full.
    private func expectManyChanges(_ helper: HelperProcess) throws {
        #expect(try Int(helper.finish().filter(\.isNumber)) ?? 0 > 100)
    }

    /// Prevents the file from growing with a resource limit, which needs no privileges.
    @Test(arguments: DeviceStoreOptions.IO.allCases) func smallChangesSucceedWhenFileCannotGrow(
        io: DeviceStoreOptions.IO
    ) throws {
        let directory = try TemporaryDirectory()
        try expectManyChanges(HelperProcess("fill", io, directory.path("s.larder"), ["\(300 << 10)"]))
    }

    /// Uses a store on a disk of 512 KiB that is mounted only for this process.
    @Test(
        .enabled(if: HelperProcess.canMount, "mounting needs user namespaces"),
        arguments: DeviceStoreOptions.IO.allCases
    )
    func smallChangesSucceedOnFullDisk(io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        try expectManyChanges(HelperProcess(onDiskOf: 512, at: directory.path, "fill", io, "s.larder"))
    }

    /// Opens a store whose control file exists on a disk that has no space for the file's page.
    @Test(
        .enabled(if: HelperProcess.canMount, "mounting needs user namespaces"),
        arguments: DeviceStoreOptions.IO.allCases
    )
    func openingNewStoreOnFullDiskThrowsDiskFull(io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        _ = try HelperProcess(onDiskOf: 512, at: directory.path, "fullControl", io, "s.larder").finish()
    }
}
