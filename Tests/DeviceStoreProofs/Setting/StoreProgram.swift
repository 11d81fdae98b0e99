import Foundation
import LarderCore
package import LarderDeviceStore
package import LarderTestSupport

/// A program that uses one store in one or two processes, for proofs that simulate power loss or process death.
package final class StoreProgram {
    /// A step of a program.
    package enum Step: String, CaseIterable, Sendable, CustomStringConvertible {
        case put, remove, transaction, compact, synced, reopen
        /// A put of a value that stays in the file.
        case large
        /// A flush of all earlier commits.
        case flush
        /// A put by a second process.
        case other
        /// A compaction by a second process.
        case otherCompacts
        /// A flush by a second process.
        case otherFlushes
        /// The death of the process between two calls; another process then opens the store.
        case die
        /// The regular maintenance of a store.
        case maintain

        package var description: String { rawValue }

        /// The most frequent steps of a single process, whose programs are checked more thoroughly.
        package static let basic: [Step] = [.put, .remove, .transaction, .compact, .synced, .reopen]

        /// Whether only the second process makes calls in this step, so that killing the first process proves nothing.
        package var isOfAnotherProcess: Bool {
            switch self {
            case .other, .otherCompacts, .otherFlushes: true
            default: false
            }
        }
    }

    /// The content of the store after each commit, beginning with the empty state.
    private(set) var states: [Contents] = [[:]]
    /// Pairs of an event count and the index in ``states`` of the commit that must survive a power loss after these events.
    private(set) var promises: [(events: Int, state: Int)] = [(0, 0)]
    /// The content after the step in progress, if it commits.
    private(set) var inFlight: Contents?
    /// The number of events before the last step.
    private(set) var beginningOfLastStep = 0
    let disk: SimulatedFileSystem
    let io: DeviceStoreOptions.IO
    private var process: SimulatedProcess
    private var store: DeviceStore?
    private var otherStore: DeviceStore?
    private var number = 0

    /// Creates a program before its first step.
    init(on disk: SimulatedFileSystem, _ io: DeviceStoreOptions.IO) {
        self.disk = disk
        self.io = io
        process = SimulatedProcess(on: disk)
    }

    /// Runs the steps.
    package convenience init(_ steps: [Step], _ io: DeviceStoreOptions.IO, on disk: SimulatedFileSystem) throws {
        self.init(on: disk, io)
        try silently { for step in steps { try run(step) } }
        disk.recordMappedStores()
    }

    /// The current content.
    var contents: Contents { states[states.count - 1] }
    /// The index of the state that must survive a power loss now.
    var promised: Int { promises[promises.count - 1].state }

    /// Schedules the death of the first process at a later call.
    func killFirst(atCall number: Int, writing: Int) { process.die(atCall: number, writing: writing) }

    /// Whether the first process was killed.
    var isDead: Bool { process.wasKilled }

    /// Reverts the changes that the first process made after its death, and returns whether the process was killed.
    func buryTheDead() -> Bool {
        guard process.wasKilled else { return false }
        store = nil
        process.bury()
        process = SimulatedProcess(on: disk)
        return true
    }

    private func closeFirst() throws {
        try store?.closeNow()
        store = nil
    }

    private func first() throws -> DeviceStore {
        if let store { return store }
        let opened = try SimulatedStore(on: process, io).open()
        store = opened
        return opened
    }

    /// Returns the store as the second process has it open, which survives the death of the first process.
    func second() throws -> DeviceStore {
        if let otherStore { return otherStore }
        let opened = try SimulatedStore(on: disk, io).open()
        otherStore = opened
        return opened
    }

    /// Runs one step.
    ///
    /// If the step throws, ``inFlight`` holds the content that the step would have committed.
    func run(_ step: Step) throws {
        number += 1
        beginningOfLastStep = disk.eventCount
        let key = StoreKey("key\(number % 3)")
        var next = contents
        let value = StoredValue.int(Int64(number))
        let long = StoredValue.string(String(repeating: "number \(number) ", count: 60))
        let large = StoredValue.data(Data((0..<17_000).map { UInt8(truncatingIfNeeded: $0 &* number) }))
        switch step {
        case .put, .synced, .other: next[key.text] = value
        case .remove: next[key.text] = nil
        case .transaction:
            next["key1"] = .string("first \(number)")
            next["key2"] = long
            next["key0"] = nil
        case .large: next[key.text] = large
        case .compact, .reopen, .flush, .otherCompacts, .otherFlushes, .die, .maintain: break
        }
        inFlight = next
        switch step {
        case .put: try first().set(value, for: key)
        case .remove: try first().remove(key)
        case .synced: try first().setSynced(value, for: key)
        case .large: try first().set(large, for: key)
        case .transaction:
            var batch = StoreBatch()
            batch.set(.string("first \(number)"), for: "key1")
            batch.set(long, for: "key2")
            batch.remove("key0")
            _ = try first().commit(batch)
        case .compact: try first().compact()
        case .flush: try first().flushNow()
        case .maintain: try first().maintain()
        case .other: try second().set(value, for: key)
        case .otherCompacts: try second().compact()
        case .otherFlushes: try second().flushNow()
        case .reopen:
            _ = try first()
            try closeFirst()
        case .die:
            _ = try first()
            process.kill()
            _ = buryTheDead()
            _ = try first()
        }
        if !isDead { disk.recordMappedStores() }
        if next != contents { states.append(next) }
        inFlight = nil
        switch step {
        // Opening syncs the commits of an earlier process.
        case .synced, .reopen, .flush, .otherFlushes, .die: promise()
        default: break
        }
    }

    /// Records that all earlier commits are durable.
    private func promise() { promises.append((disk.eventCount, states.count - 1)) }

    // MARK: Checks

    /// Returns a problem with a disk after a power loss, or `nil` if there is none.
    ///
    /// If `thoroughly` is `true`, the check also writes to the store and opens it again.
    func problem(with image: CrashImage, thoroughly: Bool) -> String? {
        let promised = promises.last { $0.events <= image.eventCount }?.state ?? 0
        return problem(on: image.fileSystem, promised: promised, thoroughly: thoroughly)
    }

    /// Returns a problem with a store that must hold the state with the index `promised` or a later state, or `nil` if there is none.
    func problem(on disk: SimulatedFileSystem, promised: Int, thoroughly: Bool) -> String? {
        silently {
            do {
                let simulated = SimulatedStore(on: disk, io)
                let store = try simulated.open()
                let found = try store.contents()
                // A commit in progress at the death of a process may be present too.
                let state = inFlight == found ? states.count : states.indices.last { states[$0] == found }
                guard let state else {
                    return "the store never had this state: \(found)"
                }
                guard state >= promised else { return "state \(state), but \(promised) must survive" }
                let verification = try store.verify()
                guard verification.isIntact else { return "not intact: \(verification.problems)" }
                guard thoroughly else { return nil }
                // This put is as long as a lost put, so a later put that was left in the file would become visible.
                let last = "last"
                try store.set(.int(1), for: StoreKey(last))
                try store.closeNow()
                let then = try simulated.open().contents()
                let expected = found.merging([last: .int(1)]) { $1 }
                return then == expected ? nil : "after one more write it holds \(then) instead of \(expected)"
            } catch {
                return "\(error)"
            }
        }
    }
}
