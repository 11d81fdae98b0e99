import LarderCore
package import LarderDeviceStore
import LarderFiles
import LarderTestSupport

/// Repairs that are cut short by a call that fails, the death of the process or a power loss: what was damaged is still there,
/// whole, in its place or as a copy; once it was replaced, the good part is in its place; and the next repair keeps it all.
package struct RepairProof: Sendable {
    /// How it is asked for.
    package enum Way: CaseIterable, Sendable {
        /// `DeviceStore.repair(at:)`.
        case repair
        /// Opening with the policy that sets a damaged store aside.
        case quarantine
    }

    /// A file that an earlier repair made, which is nobody's to change.
    private static let earlier: (path: String, bytes: [UInt8]) = (SimulatedStore.path + ".damaged-1", [1, 2, 3])

    private let damaged: DamagedStore
    private let way: Way
    private let io: DeviceStoreOptions.IO

    /// Makes the damaged store.
    package init(_ kind: DamagedStore.Kind, _ way: Way, _ io: DeviceStoreOptions.IO) throws {
        damaged = try DamagedStore(kind, io)
        self.way = way
        self.io = io
    }

    private var name: String { "\(io), \(way) of a store with damage to its \(damaged.kind)" }

    private func disk() -> LyingFileSystem {
        let disk = LyingFileSystem(
            directories: ["/data"],
            files: [SimulatedStore.path: damaged.bytes, Self.earlier.path: Self.earlier.bytes]
        )
        disk.leaveUnrecorded(suffix: ".ctl")
        return disk
    }

    /// Carries it out.
    private func perform(on fileSystem: any FileSystem) throws {
        let simulated = SimulatedStore(on: fileSystem, io)
        switch way {
        case .repair: _ = try DeviceStore.repair(at: SimulatedStore.path, options: simulated.options())
        case .quarantine: try simulated.open { $0.damage = .quarantine }.closeNow()
        }
    }

    // MARK: Cutting it short

    /// Lets one call after the other fail, `stride` apart, each in a repair of its own.
    package func failEachCall(_ fault: FaultProof.Fault, images: Int, stride step: Int = 1) -> ProofReport {
        cutAtEachCall("failing calls", of: name, stride: step) { index, report in
            let disk = disk()
            disk.fail(at: index, with: fault)
            let name = "\(name), call \(index) with \(fault)"
            do {
                try perform(on: disk)
            } catch let error as StoreError where error.code != .newerFormat {
                disk.stopFailing()
                if way == .repair, error.code == .damaged { report.fail("\(name): it failed with \(error)") }
                // All but the last sync: then it is replaced, and a power loss may undo that.
                if way == .repair, !disk.lacksConfirmation(ofRenaming: SimulatedStore.path + LogFormat.newSuffix),
                    try !isUntouched(disk)
                {
                    report.fail("\(name): it threw and changed the file")
                }
            }
            disk.stopFailing()
            let wasReached = disk.operationCount > index
            look(at: disk, images: images, name, &report)
            return wasReached
        }
    }

    /// Kills the process at one call after the other, and lets the power fail after that.
    package func killAtEachCall(images: Int, stride step: Int = 1) -> ProofReport {
        var report = ProofReport(unit: "deaths")
        for writing in ProofVolume.isSmall ? [13] : [0, 13, .max] {
            let part = cutAtEachCall(report.unit, of: name, stride: step) { index, report in
                let disk = disk()
                let process = LyingProcess(on: disk)
                process.die(atCall: index, writing: writing)
                do {
                    try perform(on: process)
                } catch {
                    // What the dead say counts for nothing.
                    guard process.wasKilled else { throw error }
                }
                guard process.wasKilled else { return false }
                process.bury()
                look(at: disk, images: images, "\(name), killed at call \(index) having written \(writing)", &report)
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
        do {
            let disk = disk()
            try silently { try perform(on: disk) }
            let end = disk.eventCount
            func look(_ image: CrashImage, _ kind: String) {
                report.count += 1
                let thoroughly = report.count % volume.thorough == 0
                let isDone = image.eventCount == end
                if let problem = problem(on: image.fileSystem, isDone: isDone, thoroughly: thoroughly) {
                    report.fail("\(name) after \(image.eventCount) events, \(kind) image \(image.number): \(problem)")
                }
            }
            try disk.forEachCrashImage(atLeast: 1, limit: volume.exhaustive) { look($0, "exhaustive") }
            if volume.sampled > 0 {
                try disk.forEachSampledCrashImage(atLeast: 1, seed: seed, perPoint: volume.sampled) {
                    look($0, "sampled")
                }
            }
        } catch {
            report.fail("\(name): \(error)")
        }
        return report
    }

    // MARK: Looking

    /// Looks at what the power may leave of a disk, and then at the disk.
    private func look(at disk: LyingFileSystem, images: Int, _ name: String, _ report: inout ProofReport) {
        for number in 0..<images {
            let image = disk.afterPowerLoss(seed: UInt64(number), isRecording: false)
            if let problem = problem(on: image) { report.fail("\(name), power loss \(number): \(problem)") }
        }
        if let problem = problem(on: disk) { report.fail("\(name): \(problem)") }
    }

    private func isUntouched(_ disk: LyingFileSystem) throws -> Bool {
        try Array(disk.contents(of: SimulatedStore.path)) == damaged.bytes
    }

    /// The names of whole copies of the damaged file.
    private func copies(on disk: LyingFileSystem) throws -> [String] {
        try disk.contentsOfDirectory(at: "/data").filter { name in
            try name.hasPrefix("s.larder.damaged-") && Array(disk.contents(of: "/data/" + name)) == damaged.bytes
        }
    }

    /// What is wrong with a disk; `isDone` when the repair was said to have been made; `thoroughly` also repairs it once more.
    private func problem(on disk: LyingFileSystem, isDone: Bool = false, thoroughly: Bool = true) -> String? {
        silently {
            do {
                let wasReplaced = try !isUntouched(disk)
                if wasReplaced {
                    if try copies(on: disk).isEmpty { return "the damaged file is lost" }
                    if let problem = try problemOfStore(on: disk) { return "replaced: \(problem)" }
                } else if isDone {
                    return "the repair is lost"
                } else if let problem = try damaged.kind.isFlaw ? problemOfReader(on: disk) : refusal(on: disk) {
                    return problem
                }
                return thoroughly ? try problemOfNextRepair(on: disk, isNeeded: !wasReplaced) : nil
            } catch {
                return "\(error)"
            }
        }
    }

    private func refusal(on disk: LyingFileSystem) -> String? {
        do {
            _ = try SimulatedStore(on: disk, io).open()
            return "it is opened as if nothing were"
        } catch {
            return (error as? StoreError)?.code == .damaged ? nil : "opening fails with \(error)"
        }
    }

    /// What is wrong with how a store with a flawed header is only read, which leaves the flaw for the repair.
    private func problemOfReader(on disk: LyingFileSystem) throws -> String? {
        let store = try SimulatedStore(on: disk, io).open { $0.isReadOnly = true }
        if try store.contents() != damaged.salvageable { return "only read, it holds \(try store.contents())" }
        if try store.verify().isIntact { return "verify does not see the flaw" }
        return try isUntouched(disk) ? nil : "reading changed it"
    }

    private func problemOfNextRepair(on disk: LyingFileSystem, isNeeded: Bool) throws -> String? {
        let options = SimulatedStore(on: disk, io).options()
        let damage = try DeviceStore.repair(at: SimulatedStore.path, options: options)
        if isNeeded != (damage != nil) { return "the next repair reports \(damage.map { "\($0)" } ?? "nothing")" }
        let copies = try copies(on: disk)
        if let copy = damage?.copy, !copies.map({ "/data/" + $0 }).contains(copy) { return "\(copy) is no whole copy" }
        if copies.isEmpty { return "after the next repair, the damaged file is lost" }
        if try Array(disk.contents(of: Self.earlier.path)) != Self.earlier.bytes {
            return "an earlier copy was changed"
        }
        if let problem = try problemOfStore(on: disk) { return "after the next repair, \(problem)" }
        let store = try SimulatedStore(on: disk, io).open()
        try store.setSynced(.int(1), for: "after")
        try store.closeNow()
        return try SimulatedStore(on: disk, io).open().get("after") == .int(1) ? nil : "it can't be used"
    }

    private func problemOfStore(on disk: LyingFileSystem) throws -> String? {
        let store = try SimulatedStore(on: disk, io).open()
        let found = try store.contents()
        if found != damaged.salvageable { return "it holds \(found) instead of \(damaged.salvageable)" }
        return try store.verify().isIntact ? nil : "it is not intact"
    }
}

extension LyingFileSystem {
    /// Whether a sync failed after the file at `path` was given another name.
    func lacksConfirmation(ofRenaming path: String) -> Bool {
        let isRename = { (call: RecordedOperation) in
            call.operation == .rename && call.path == path && call.errno == nil
        }
        guard let rename = operations.lastIndex(where: isRename) else { return false }
        return operations[rename...].contains { $0.operation == .synchronize && $0.errno != nil }
    }
}
