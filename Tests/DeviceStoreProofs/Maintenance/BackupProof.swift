import LarderCore
package import LarderDeviceStore
import LarderTestSupport

/// Backups of a store in use that are cut short by a call that fails, the death of the process or a power loss: at their place is
/// nothing or a whole store of one moment, the source is as it was, and the next backup succeeds.
package struct BackupProof: Sendable {
    /// What happens to the store while it is copied.
    package enum Meanwhile: CaseIterable, Sendable {
        case nothing
        /// A commit of two keys, and one of another.
        case commits
        /// Another process compacts it, so that the copy is begun again.
        case compaction
    }

    private let meanwhile: Meanwhile
    private let io: DeviceStoreOptions.IO

    package init(_ meanwhile: Meanwhile, _ io: DeviceStoreOptions.IO) {
        self.meanwhile = meanwhile
        self.io = io
    }

    private var name: String { "\(io), backup during \(meanwhile)" }

    /// Lets one call after the other fail, `stride` apart, each in a backup of its own.
    package func failEachCall(_ fault: FaultProof.Fault, images: Int, stride step: Int = 1) -> ProofReport {
        cutAtEachCall("failing calls", of: name, stride: step) { index, report in
            let run = try BackupRun(meanwhile, io)
            let disk = run.disk
            let name = "\(name), call \(index) with \(fault)"
            let first = disk.operationCount + index
            disk.fail(at: first, with: fault)
            var isDone = false
            do {
                try run.backUp()
                isDone = true
            } catch is StoreError {
                disk.stopFailing()
                // All but the last sync: then a whole one is there, whose name a power loss may take.
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

    /// Kills the process at one call after the other, and lets the power fail after that.
    package func killAtEachCall(images: Int, stride step: Int = 1) -> ProofReport {
        var report = ProofReport(unit: "deaths")
        for writing in ProofVolume.isSmall ? [13] : [0, 13, .max] {
            let part = cutAtEachCall(report.unit, of: name, stride: step) { index, report in
                let run = try BackupRun(meanwhile, io)
                run.process.die(atCall: index, writing: writing)
                do {
                    try run.backUp()
                } catch {
                    // What the dead say counts for nothing.
                    guard run.process.wasKilled else { throw error }
                }
                guard run.process.wasKilled else { return false }
                run.process.bury()
                let name = "\(name), killed at call \(index) having written \(writing)"
                look(at: run, isDone: false, images: images, name, &report)
                return true
            }
            report.add(part)
        }
        return report
    }

    /// Lets the power fail after each change to the disk, in many ways.
    package func crash(_ volume: PowerLossProof.Volume, seed: UInt64 = 1) -> ProofReport {
        var report = ProofReport(unit: "crash images")
        report.programs = 1
        silently {
            do {
                let run = try BackupRun(meanwhile, io)
                let first = run.disk.eventCount
                try run.backUp()
                let end = run.disk.eventCount
                func look(_ image: CrashImage, _ kind: String) {
                    report.count += 1
                    let thoroughly = report.count % volume.thorough == 0
                    let isDone = image.eventCount == end
                    if let problem = run.problem(on: image.fileSystem, isDone: isDone, thoroughly: thoroughly) {
                        report.fail(
                            "\(name) after \(image.eventCount) events, \(kind) image \(image.number): \(problem)"
                        )
                    }
                }
                try run.disk.forEachCrashImage(atLeast: 1, from: first, limit: volume.exhaustive) {
                    look($0, "exhaustive")
                }
                if volume.sampled > 0 {
                    try run.disk.forEachSampledCrashImage(
                        atLeast: 1,
                        from: first,
                        seed: seed,
                        perPoint: volume.sampled
                    ) {
                        look($0, "sampled")
                    }
                }
            } catch {
                report.fail("\(name): \(error)")
            }
        }
        return report
    }

    private func look(
        at run: BackupRun,
        isDone: Bool,
        images: Int,
        _ name: String,
        _ report: inout ProofReport
    ) {
        for number in 0..<images {
            let image = run.disk.afterPowerLoss(seed: UInt64(number), isRecording: false)
            if let problem = run.problem(on: image, isDone: isDone) {
                report.fail("\(name), power loss \(number): \(problem)")
            }
        }
        if let problem = run.problem(on: run.disk, isDone: isDone) { report.fail("\(name): \(problem)") }
    }
}
