import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
package import LarderTestSupport
import Synchronization

/// A store on a simulated disk, and one backup of it to interrupt.
package final class BackupRun: MaintenanceRun, Sendable {
    static let destination = "/elsewhere/copy.larder"

    package let disk: SimulatedFileSystem
    /// The process that makes the backup.
    package let process: SimulatedProcess
    private let meanwhile: BackupProof.Meanwhile
    private let io: DeviceStoreOptions.IO
    private let store: DeviceStore
    /// The store as another process has it open, or `nil` if no other process is simulated.
    private let other: DeviceStore?
    private let history: Mutex<History>

    private struct History {
        /// The states of the store after each commit since the backup began.
        ///
        /// A power loss must leave one of these states.
        var states: [Contents]
        /// The state after a commit that did not return.
        var inFlight: Contents?
        var hasBegun = false
    }

    init(_ meanwhile: BackupProof.Meanwhile, _ io: DeviceStoreOptions.IO) throws {
        self.meanwhile = meanwhile
        self.io = io
        disk = SimulatedFileSystem(directories: ["/data", "/elsewhere"])
        disk.leaveUnrecorded(suffix: ".ctl")
        process = SimulatedProcess(on: disk)
        store = try SimulatedStore(on: process, io).open()
        for number in 0..<5 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        try store.set(.data(Data(repeating: 7, count: 17_000)), for: "large")
        try store.remove("key3")
        try store.flushNow()
        other = meanwhile == .compaction ? try SimulatedStore(on: disk, io).open() : nil
        history = Mutex(History(states: [try store.contents()]))
    }

    /// Makes the backup while the store changes.
    package func perform() throws {
        try store.backup(to: Self.destination) { _ in
            let isFirst = self.history.withLock { history in
                defer { history.hasBegun = true }
                return !history.hasBegun
            }
            if isFirst { self.changeMeanwhile() }
        }
    }

    private func changeMeanwhile() {
        switch meanwhile {
        case .nothing: return
        case .commits:
            change(["first": .int(1), "second": .int(2), "key0": nil])
            change(["key1": .string("changed")])
        case .compaction:
            // This call may be the failing one; the backup continues.
            try? other?.compact()
            change(["key1": .string("changed")])
        }
    }

    private func change(_ writes: [String: StoredValue?]) {
        var batch = StoreBatch()
        for (key, value) in writes.sorted(by: { $0.key < $1.key }) { batch.write(value, for: StoreKey(key)) }
        history.withLock { history in
            guard history.inFlight == nil, var next = history.states.last else { return }
            for (key, value) in writes { next[key] = value }
            do {
                _ = try store.commit(batch)
                history.states.append(next)
            } catch {
                history.inFlight = next
            }
        }
    }

    // MARK: Checks

    /// Whether a file exists at the destination.
    var hasCopy: Bool { get throws { try disk.contentsIfPresent(of: Self.destination) != nil } }

    private func isPossible(_ contents: Contents) -> Bool {
        history.withLock { $0.states.contains(contents) || $0.inFlight == contents }
    }

    /// Returns a problem with the open store after a failed backup, or `nil` if there is none.
    func problemOfSource() -> String? {
        silently {
            do {
                let (last, inFlight) = history.withLock { ($0.states.last, $0.inFlight) }
                let found = try store.contents()
                if found != last, found != inFlight { return "the open store holds \(found)" }
                // A failed commit may have closed the store.
                guard inFlight == nil else { return nil }
                return try store.verify().isIntact ? nil : "the open store is not intact"
            } catch {
                return "the open store: \(error)"
            }
        }
    }

    /// Returns a problem with a disk after the run, or `nil` if there is none.
    ///
    /// If `thoroughly` is `true`, the check also makes the next backup.
    package func problem(on disk: SimulatedFileSystem, isDone: Bool, thoroughly: Bool) -> String? {
        silently {
            do {
                let source = try SimulatedStore(on: disk, io).open()
                let found = try source.contents()
                guard isPossible(found), try source.verify().isIntact else { return "the source holds \(found)" }
                if try disk.information(at: Self.destination, followingLinks: false) != nil {
                    return try problemOfCopy(on: disk) ?? (thoroughly ? problemOfAnother(on: disk, source) : nil)
                }
                if isDone { return "the backup is lost" }
                guard thoroughly else { return nil }
                try source.backup(to: Self.destination)
                let copy = try open(Self.destination, on: disk)
                return try copy.contents() == found && copy.verify().isIntact ? nil : "the next backup is another"
            } catch {
                return "\(error)"
            }
        }
    }

    private func problemOfCopy(on disk: SimulatedFileSystem) throws -> String? {
        let copy = try open(Self.destination, on: disk)
        let found = try copy.contents()
        guard isPossible(found) else { return "the copy holds \(found)" }
        return try copy.verify().isIntact ? nil : "the copy is not intact"
    }

    /// Returns a problem with a backup to an existing destination, or `nil` if there is none.
    private func problemOfAnother(on disk: SimulatedFileSystem, _ source: DeviceStore) throws -> String? {
        let there = try disk.contents(of: Self.destination)
        do {
            try source.backup(to: Self.destination)
            return "the next backup replaces the one that is there"
        } catch let error as StoreError where error.code == .invalidConfiguration {
            return try disk.contents(of: Self.destination) == there ? nil : "the next backup changes what is there"
        }
    }

    private func open(_ path: String, on disk: SimulatedFileSystem) throws -> DeviceStore {
        try DeviceStore(path: path, options: SimulatedStore(on: disk, io).options())
    }
}
