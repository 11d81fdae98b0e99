import DeviceStoreProofs
import LarderCore
import LarderFiles
import LarderTestSupport
import Testing

@testable import LarderDeviceStore

/// Tests that flip every bit of the header and the commits.
///
/// Every third attempt uses a memory-mapped file. `make torture` flips each bit with both I/O methods, including the bits of large values.
@Suite struct DeviceStoreBitFlipTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases, [DamageProof.Subject.commits, .snapshot])
    func flippedBitIsReportedAndLosesAtMostOneCommit(
        io: DeviceStoreOptions.IO,
        subject: DamageProof.Subject
    ) throws {
        let report = try DamageProof(subject, io).flipBits(
            stride: (subject != .commits ? 7 : io == .mapped ? 3 : 1) * ProofVolume.step
        )
        #expect(report.problems(requiring: ProofVolume.of(5_000)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, [DamageProof.Subject.unsynced, .stated])
    func flippedBitInUnsyncedCommitIsReportedIfCommitIsRecorded(
        io: DeviceStoreOptions.IO,
        subject: DamageProof.Subject
    ) throws {
        let report = try DamageProof(subject, io).flipBits(from: 4_096, stride: 5 * ProofVolume.step)
        #expect(report.problems(requiring: ProofVolume.of(1_000)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, DamageProof.Subject.allCases)
    func logTruncationIsDetectedAndEarlierCommitsSurvive(
        io: DeviceStoreOptions.IO,
        subject: DamageProof.Subject
    ) throws {
        let step = subject == .largeValues ? 17 : DamageProof.Subject.closed.contains(subject) ? 1 : 3
        let report = try DamageProof(subject, io).truncate(stride: step * ProofVolume.step)
        #expect(report.problems(requiring: ProofVolume.of(1_000)) == [])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func storeWithMaximumHeaderFieldsAcceptsCommits(
        io: DeviceStoreOptions.IO
    ) throws {
        let header = LogHeader(
            fileIdentifier: [UInt8](repeating: 1, count: 16),
            generation: .max,
            slotNumber: .max - 1,
            snapshotEnd: 4096,
            syncedMark: 4096
        )
        let disk = SimulatedFileSystem(directories: ["/data"], files: [SimulatedStore.path: header.block])
        let store = try SimulatedStore(on: disk, io).open()
        try store.set(.int(1), for: "a")
        try store.flushNow()
        try store.compact()
        try store.set(.int(2), for: "b")
        #expect(try store.verify().isIntact)
        try store.closeNow()
        #expect(try SimulatedStore(on: disk, io).open().contents() == ["a": .int(1), "b": .int(2)])
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func logWithNullValueIsRejectedAndLeftUnchanged(
        io: DeviceStoreOptions.IO
    ) throws {
        let header = LogHeader(
            fileIdentifier: [UInt8](repeating: 1, count: 16),
            generation: 1,
            slotNumber: 1,
            snapshotEnd: 4096,
            syncedMark: 4096
        )
        var frame = LogFrameBuilder()
        frame.begin()
        // No store writes null, which represents in memory a value that is stored only in the file.
        try StoreKey("a").withWords { try frame.set($0, .null, size: 1) }
        frame.seal(seed: header.seed, sequence: 1)
        let file = header.block + Array(frame.bytes)
        let disk = SimulatedFileSystem(directories: ["/data"], files: [SimulatedStore.path: file])
        let error = #expect(throws: StoreError.self) { try SimulatedStore(on: disk, io).open() }
        #expect(error?.code == .damaged)
        #expect(try disk.open(SimulatedStore.path, .reading).read(at: 0, count: file.count + 1) == file)
    }
}
