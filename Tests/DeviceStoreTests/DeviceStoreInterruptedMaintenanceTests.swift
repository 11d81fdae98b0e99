import DeviceStoreProofs
import LarderDeviceStore
import Testing

/// Tests of repairs and backups that are interrupted at each of their calls.
///
/// `make torture` runs more of them.
@Suite struct DeviceStoreInterruptedMaintenanceTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases, DamagedStore.Kind.allCases)
    func repairIsAtomicWhenFileOperationFails(
        io: DeviceStoreOptions.IO,
        kind: DamagedStore.Kind
    ) throws {
        var report = ProofReport(unit: "failing calls")
        for way in kind.ways {
            let proof = try RepairProof(kind, way, io)
            for fault in FaultProof.Fault.few {
                report.add(proof.failEachCall(fault, images: 1, stride: ProofVolume.step))
            }
        }
        #expect(report.problems(requiring: ProofVolume.of(100) * kind.ways.count) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, DamagedStore.Kind.allCases)
    func repairIsAtomicWhenProcessIsKilled(
        io: DeviceStoreOptions.IO,
        kind: DamagedStore.Kind
    ) throws {
        var report = ProofReport(unit: "deaths")
        for way in kind.ways { report.add(try RepairProof(kind, way, io).killAtEachCall(images: 1)) }
        #expect(report.problems(requiring: 30) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, DamagedStore.Kind.allCases)
    func repairIsAtomicOnPowerLoss(
        io: DeviceStoreOptions.IO,
        kind: DamagedStore.Kind
    ) throws {
        let volume = PowerLossProof.Volume(exhaustive: ProofVolume.of(10), sampled: ProofVolume.of(10), thorough: 8)
        var report = ProofReport(unit: "crash images")
        for way in kind.ways { report.add(try RepairProof(kind, way, io).crash(volume)) }
        #expect(report.problems(requiring: ProofVolume.of(50)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, BackupProof.Meanwhile.allCases)
    func backupIsAtomicWhenFileOperationFails(
        io: DeviceStoreOptions.IO,
        meanwhile: BackupProof.Meanwhile
    ) {
        var report = ProofReport(unit: "failing calls")
        let proof = BackupProof(meanwhile, io)
        for fault in FaultProof.Fault.few {
            report.add(proof.failEachCall(fault, images: 1, stride: ProofVolume.step))
        }
        #expect(report.problems(requiring: ProofVolume.of(50)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, BackupProof.Meanwhile.allCases)
    func backupIsAtomicWhenProcessIsKilled(
        io: DeviceStoreOptions.IO,
        meanwhile: BackupProof.Meanwhile
    ) {
        let report = BackupProof(meanwhile, io).killAtEachCall(images: 1)
        #expect(report.problems(requiring: 10) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, BackupProof.Meanwhile.allCases)
    func backupIsAtomicOnPowerLoss(
        io: DeviceStoreOptions.IO,
        meanwhile: BackupProof.Meanwhile
    ) {
        let volume = PowerLossProof.Volume(exhaustive: ProofVolume.of(10), sampled: ProofVolume.of(10), thorough: 8)
        let report = BackupProof(meanwhile, io).crash(volume)
        #expect(report.problems(requiring: ProofVolume.of(50)) == [])
    }
}
