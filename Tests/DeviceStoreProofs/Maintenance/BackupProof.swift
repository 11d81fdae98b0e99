import LarderCore
package import LarderDeviceStore
import LarderTestSupport

/// A proof that backups of a store in use can be interrupted by a failing call, process death or power loss.
///
/// The destination must be empty or hold a consistent snapshot, the source must be unchanged, and the next backup must succeed.
package struct BackupProof: MaintenanceProof {
    /// The concurrent change to the store.
    package enum Meanwhile: CaseIterable, Sendable {
        case nothing
        /// A commit of two keys, and a commit of another key.
        case commits
        /// A compaction by another process, so that the copy starts again.
        case compaction
    }

    private let meanwhile: Meanwhile
    private let io: DeviceStoreOptions.IO

    package init(_ meanwhile: Meanwhile, _ io: DeviceStoreOptions.IO) {
        self.meanwhile = meanwhile
        self.io = io
    }

    package var name: String { "\(io), backup during \(meanwhile)" }

    package func prepare() throws -> BackupRun { try BackupRun(meanwhile, io) }

    /// Makes every `stride`th call fail, each in its own backup.
    package func failEachCall(_ fault: FaultProof.Fault, images: Int, stride step: Int = 1) -> ProofReport {
        cutAtEachCall("failing calls", of: name, stride: step) { index, report in
            let run = try prepare()
            let disk = run.disk
            let name = "\(name), call \(index) with \(fault)"
            let first = disk.operationCount + index
            disk.fail(at: first, with: fault)
            var isDone = false
            do {
                try run.perform()
                isDone = true
            } catch is StoreError {
                disk.stopFailing()
                // The last sync is excluded, because the copy is complete by then, but a power loss may still remove its name.
                if !disk.lacksConfirmation(ofRenaming: BackupRun.destination + LogFormat.newSuffix), try run.hasCopy {
                    report.fail("\(name): it threw and left something")
                }
            }
            disk.stopFailing()
            let wasReached = disk.operationCount > first
            if let problem = run.problemOfSource() { report.fail("\(name): \(problem)") }
            look(at: run, isDone: isDone, images: images, name, &report)
            return wasReached
        }
    }
}
