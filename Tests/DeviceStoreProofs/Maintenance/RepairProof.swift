import LarderCore
package import LarderDeviceStore
import LarderFiles
package import LarderTestSupport

/// A proof that repairs can be interrupted by a failing call, process death or power loss.
///
/// The damaged file must still exist unchanged, in place or as a copy. After the file has been replaced, the new file must hold the intact
/// entries, and the next repair must keep them.
package struct RepairProof: MaintenanceProof {
    /// The way to request the repair.
    package enum Way: CaseIterable, Sendable {
        /// `DeviceStore.repair(at:)`.
        case repair
        /// Opening with the policy `quarantine`.
        case quarantine
    }

    /// The copy that an earlier repair made, which must not change.
    private static let earlier: (path: String, bytes: [UInt8]) = (SimulatedStore.path + ".damaged-1", [1, 2, 3])

    private let damaged: DamagedStore
    private let way: Way
    private let io: DeviceStoreOptions.IO

    /// Creates the damaged store.
    package init(_ kind: DamagedStore.Kind, _ way: Way, _ io: DeviceStoreOptions.IO) throws {
        damaged = try DamagedStore(kind, io)
        self.way = way
        self.io = io
    }

    package var name: String { "\(io), \(way) of a store with damage to its \(damaged.kind)" }

    package func prepare() -> RepairRun {
        let disk = SimulatedFileSystem(
            directories: ["/data"],
            files: [SimulatedStore.path: damaged.bytes, Self.earlier.path: Self.earlier.bytes]
        )
        disk.leaveUnrecorded(suffix: ".ctl")
        return RepairRun(self, disk)
    }

    /// Performs the repair.
    fileprivate func perform(on fileSystem: any FileSystem) throws {
        let simulated = SimulatedStore(on: fileSystem, io)
        switch way {
        case .repair: _ = try DeviceStore.repair(at: SimulatedStore.path, options: simulated.options())
        case .quarantine: try simulated.open { $0.damage = .quarantine }.closeNow()
        }
    }

    // MARK: Interruption

    /// Makes every `stride`th call fail, each in its own repair.
    package func failEachCall(_ fault: FaultProof.Fault, images: Int, stride step: Int = 1) -> ProofReport {
        cutAtEachCall("failing calls", of: name, stride: step) { index, report in
            let run = prepare()
            let disk = run.disk
            disk.fail(at: index, with: fault)
            let name = "\(name), call \(index) with \(fault)"
            do {
                try run.perform()
            } catch let error as StoreError where error.code != .newerFormat {
                disk.stopFailing()
                if way == .repair, error.code == .damaged { report.fail("\(name): it failed with \(error)") }
                // The last sync is excluded, because the file has been replaced by then, and a power loss may undo the replacement.
                if way == .repair, !disk.lacksConfirmation(ofRenaming: SimulatedStore.path + LogFormat.newSuffix),
                    try !isUntouched(disk)
                {
                    report.fail("\(name): the call threw, but changed the file")
                }
            }
            disk.stopFailing()
            let wasReached = disk.operationCount > index
            look(at: run, isDone: false, images: images, name, &report)
            return wasReached
        }
    }

    // MARK: Checks

    private func isUntouched(_ disk: SimulatedFileSystem) throws -> Bool {
        try Array(disk.contents(of: SimulatedStore.path)) == damaged.bytes
    }

    /// Returns the names of complete copies of the damaged file.
    private func copies(on disk: SimulatedFileSystem) throws -> [String] {
        try disk.contentsOfDirectory(at: "/data").filter { name in
            try name.hasPrefix("s.larder.damaged-") && Array(disk.contents(of: "/data/" + name)) == damaged.bytes
        }
    }

    /// Returns a problem with a disk after the run, or `nil` if there is none.
    ///
    /// If `thoroughly` is `true`, the check also repairs the store once more.
    fileprivate func problem(on disk: SimulatedFileSystem, isDone: Bool, thoroughly: Bool) -> String? {
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

    private func refusal(on disk: SimulatedFileSystem) -> String? {
        do {
            _ = try SimulatedStore(on: disk, io).open()
            return "opening does not report the damage"
        } catch {
            return (error as? StoreError)?.code == .damaged ? nil : "opening fails with \(error)"
        }
    }

    /// Returns a problem with opening a store with a flawed header read-only, or `nil` if there is none.
    ///
    /// A read-only store must not repair the header.
    private func problemOfReader(on disk: SimulatedFileSystem) throws -> String? {
        let store = try SimulatedStore(on: disk, io).open { $0.isReadOnly = true }
        if try store.contents() != damaged.salvageable {
            return "opened for reading only, it holds \(try store.contents())"
        }
        if try store.verify().isIntact { return "verify does not report the flaw" }
        return try isUntouched(disk) ? nil : "reading changed it"
    }

    private func problemOfNextRepair(on disk: SimulatedFileSystem, isNeeded: Bool) throws -> String? {
        let options = SimulatedStore(on: disk, io).options()
        let damage = try DeviceStore.repair(at: SimulatedStore.path, options: options)
        if isNeeded != (damage != nil) { return "the next repair reports \(damage.map { "\($0)" } ?? "nothing")" }
        let copies = try copies(on: disk)
        if let copy = damage?.copy, !copies.map({ "/data/" + $0 }).contains(copy) {
            return "\(copy) is not a complete copy"
        }
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

    private func problemOfStore(on disk: SimulatedFileSystem) throws -> String? {
        let store = try SimulatedStore(on: disk, io).open()
        let found = try store.contents()
        if found != damaged.salvageable { return "it holds \(found) instead of \(damaged.salvageable)" }
        return try store.verify().isIntact ? nil : "it is not intact"
    }
}

/// A damaged store on a simulated disk, and one repair of it to interrupt.
package struct RepairRun: MaintenanceRun {
    private let proof: RepairProof
    package let disk: SimulatedFileSystem
    package let process: SimulatedProcess

    fileprivate init(_ proof: RepairProof, _ disk: SimulatedFileSystem) {
        self.proof = proof
        self.disk = disk
        process = SimulatedProcess(on: disk)
    }

    package func perform() throws { try proof.perform(on: process) }

    package func problem(on disk: SimulatedFileSystem, isDone: Bool, thoroughly: Bool) -> String? {
        proof.problem(on: disk, isDone: isDone, thoroughly: thoroughly)
    }
}

extension SimulatedFileSystem {
    /// Returns whether a sync failed after the file at `path` was renamed.
    func lacksConfirmation(ofRenaming path: String) -> Bool {
        let isRename = { (call: RecordedOperation) in
            call.operation == .rename && call.path == path && call.errno == nil
        }
        guard let rename = operations.lastIndex(where: isRename) else { return false }
        return operations[rename...].contains { $0.operation == .synchronize && $0.errno != nil }
    }
}
