import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderTestTraits
import Testing

@Suite(.expectsIssues(.degraded)) struct DeviceStoreFaultTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases, FaultProof.Fault.all)
    func acknowledgedCommitsSurviveFailureOfAnyFileOperation(io: DeviceStoreOptions.IO, fault: FaultProof.Fault) {
        let report = FaultProof.failEachCall(fault, io, stride: ProofVolume.step)
        #expect(report.problems(requiring: ProofVolume.of(50)) == [])
    }
}
