import DeviceStoreProofs
import LarderStores
import Testing

/// Every bit of header and commits; `make torture` flips those of large values as well.
@Suite struct DeviceStoreBitTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases, [DamageProof.Subject.commits, .snapshot])
    func everyFlippedBitCostsItsCommitAtMostAndIsReported(
        io: DeviceStoreOptions.IO,
        subject: DamageProof.Subject
    ) throws {
        let report = try DamageProof(subject, io).flipBits(
            stride: (subject == .commits ? 1 : 7) * (ProofVolume.isSmall ? 11 : 1)
        )
        #expect(report.failures == [])
        #expect(report.count > ProofVolume.of(5_000))
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, DamageProof.Subject.allCases)
    func truncationAtEveryLengthIsNoticedAndWhatStandsBeforeIsKept(
        io: DeviceStoreOptions.IO,
        subject: DamageProof.Subject
    ) throws {
        let report = try DamageProof(subject, io).truncate(
            stride: (subject == .largeValues ? 17 : 1) * (ProofVolume.isSmall ? 11 : 1)
        )
        #expect(report.failures == [])
    }
}
