import Foundation
import LarderCore
package import LarderDeviceStore
package import LarderTestSupport

/// A program on one store, by one process or two, that is crashed after each change to the disk, or killed at each call.
package final class StoreProgram {
    /// What a program is made of.
    package enum Step: String, CaseIterable, Sendable, CustomStringConvertible {
        case put, remove, transaction, compact, synced, reopen
        /// A value that stays in the file.
        case large
        /// A flush of everything so far.
        case flush
        /// A put by a second process.
        case other
        /// A compaction by a second process.
        case otherCompacts
        /// A flush by a second process.
        case otherFlushes
        /// The process dies between two calls, and another one opens the store.
        case die
        /// What a store does by itself from time to time.
        case maintain

        package var description: String { rawValue }

        /// Those that one process alone makes most: programs of them are looked at more closely.
        package static let basic: [Step] = [.put, .remove, .transaction, .compact, .synced, .reopen]

        /// Whether the first process makes no call in it: killing that one there shows nothing.
        package var isOfAnotherProcess: Bool {
            switch self {
            case .other, .otherCompacts, .otherFlushes: true
            default: false
            }
        }
    }

    /// What the store held after each commit, the empty state first.
    private(set) var states: [Contents] = [[:]]
    /// After so many events the commit with that number in ``states`` must survive power loss.
    private(set) var promises: [(events: Int, state: Int)] = [(0, 0)]
    /// What the step under way will have committed, if it commits.
    private(set) var inFlight: Contents?
    /// How many events there were before the step that was begun last.
    private(set) var beginningOfLastStep = 0
    let disk: LyingFileSystem
    let io: DeviceStoreOptions.IO
    private var process: LyingProcess
    private var store: DeviceStore?
    private var otherStore: DeviceStore?
    private var number = 0

    /// Nothing has happened yet.
    init(on disk: LyingFileSystem, _ io: DeviceStoreOptions.IO) {
        self.disk = disk
        self.io = io
        process = LyingProcess(on: disk)
    }

    /// Carries out the steps.
    package convenience init(_ steps: [Step], _ io: DeviceStoreOptions.IO, on disk: LyingFileSystem) throws {
        self.init(on: disk, io)
        try silently { for step in steps { try run(step) } }
        disk.recordMappedStores()
    }

    /// What it holds now.
    var contents: Contents { states[states.count - 1] }
    /// The state that must survive power loss now.
    var promised: Int { promises[promises.count - 1].state }

    /// From now on the first process dies at that call.
    func killFirst(atCall number: Int, writing: Int) { process.die(atCall: number, writing: writing) }

    /// Whether the first process was killed.
    var isDead: Bool { process.wasKilled }

    /// Whether it was killed, and if so, takes back what it did after its death.
    func buryTheDead() -> Bool {
        guard process.wasKilled else { return false }
        store = nil
        process.bury()
        process = LyingProcess(on: disk)
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

    /// The second process, which lives on when the first dies.
    func second() throws -> DeviceStore {
        if let otherStore { return otherStore }
        let opened = try SimulatedStore(on: disk, io).open()
        otherStore = opened
        return opened
    }

    /// Carries out one step; when it throws, ``inFlight`` says what it was about to commit.
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
        // Opening syncs what an earlier process left.
        case .synced, .reopen, .flush, .otherFlushes, .die: promise()
        default: break
        }
    }

    /// Everything so far was said to be on the disk.
    private func promise() { promises.append((disk.eventCount, states.count - 1)) }

    // MARK: Looking

    /// What is wrong with a disk after a power loss; `thoroughly` also writes to it and opens it once more.
    func problem(with image: CrashImage, thoroughly: Bool) -> String? {
        let promised = promises.last { $0.events <= image.eventCount }?.state ?? 0
        return problem(on: image.fileSystem, promised: promised, thoroughly: thoroughly)
    }

    /// What is wrong with a store that must hold one of the states from `promised` on.
    func problem(on disk: LyingFileSystem, promised: Int, thoroughly: Bool) -> String? {
        silently {
            do {
                let simulated = SimulatedStore(on: disk, io)
                let store = try simulated.open()
                let found = try store.contents()
                // What was under way when a process died may be there too.
                let state = inFlight == found ? states.count : states.indices.last { states[$0] == found }
                guard let state else {
                    return "a state that never was: \(found)"
                }
                guard state >= promised else { return "state \(state), but \(promised) was promised" }
                let verification = try store.verify()
                guard verification.isIntact else { return "not intact: \(verification.problems)" }
                guard thoroughly else { return nil }
                // As long as a lost put: were a later one left behind it, it would come to life now.
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
