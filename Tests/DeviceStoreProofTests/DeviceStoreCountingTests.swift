import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderTestTraits
import Testing

/// Tests of real processes that write to the same store concurrently.
@Suite(.serialized, .expectsIssues(.degraded)) struct DeviceStoreCountingTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func incrementsByConcurrentProcessesAreNeitherLostNorTorn(io: DeviceStoreOptions.IO) {
        let report = CountingProof.count(to: ProofVolume.of(10_000), io)
        #expect(report.problems(requiring: 4 * ProofVolume.of(10_000)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func acknowledgedCommitsSurviveControlFileRemoval(io: DeviceStoreOptions.IO) {
        let report = ControlRemovalProof.remove(io, times: 6)
        #expect(report.problems(requiring: 6) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func writesThrowBusyWhileSuspendedProcessHoldsLock(
        io: DeviceStoreOptions.IO
    ) {
        let report = CountingProof.stop(io)
        #expect(report.problems(requiring: 3) == [])
    }
}
