import LarderCore
package import LarderTestSupport

/// Maintenance of a store on a simulated disk, performed once and interrupted.
package protocol MaintenanceRun {
    var disk: SimulatedFileSystem { get }
    /// The process that performs the maintenance.
    var process: SimulatedProcess { get }

    /// Performs the maintenance.
    func perform() throws

    /// Returns a problem with a disk after the run, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - disk: The disk after the run.
    ///   - isDone: Whether ``perform()`` returned.
    ///   - thoroughly: Whether the maintenance is also performed once more.
    /// - Returns: A description of the problem, or `nil`.
    func problem(on disk: SimulatedFileSystem, isDone: Bool, thoroughly: Bool) -> String?
}

/// A proof that maintenance can be interrupted at any moment.
package protocol MaintenanceProof: Sendable {
    associatedtype Run: MaintenanceRun

    /// The name of the proof in reports.
    var name: String { get }

    /// Creates a disk that is ready for the maintenance.
    func prepare() throws -> Run
}

extension MaintenanceProof {
    /// Kills the process at every `stride`th call, and simulates power losses after each kill.
    package func killAtEachCall(images: Int, stride step: Int = 1) -> ProofReport {
        var report = ProofReport(unit: "deaths")
        for writing in ProofVolume.isSmall ? [13] : [0, 13, .max] {
            let part = cutAtEachCall(report.unit, of: name, stride: step) { index, report in
                let run = try prepare()
                run.process.die(atCall: index, writing: writing)
                do {
                    try run.perform()
                } catch {
                    // Errors of a killed process don't count.
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

    /// Simulates many power losses after each change to the disk.
    package func crash(_ volume: PowerLossProof.Volume, seed: UInt64 = 1) -> ProofReport {
        var report = ProofReport(unit: "crash images")
        report.programs = 1
        silently {
            do {
                let run = try prepare()
                let first = run.disk.eventCount
                try run.perform()
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

    /// Checks each disk that a power loss may leave, and then the disk without a power loss.
    func look(at run: Run, isDone: Bool, images: Int, _ name: String, _ report: inout ProofReport) {
        for number in 0..<images {
            let image = run.disk.afterPowerLoss(seed: UInt64(number), isRecording: false)
            if let problem = run.problem(on: image, isDone: isDone, thoroughly: true) {
                report.fail("\(name), power loss \(number): \(problem)")
            }
        }
        if let problem = run.problem(on: run.disk, isDone: isDone, thoroughly: true) {
            report.fail("\(name): \(problem)")
        }
    }
}
