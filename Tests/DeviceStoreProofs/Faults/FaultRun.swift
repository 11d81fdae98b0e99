import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport

/// One run of a program on a disk with a failing call.
struct FaultRun {
    private let fault: FaultProof.Fault
    private let index: Int
    private let io: DeviceStoreOptions.IO
    private let table: FaultTable
    private let disk = SimulatedStore.disk()
    /// The acknowledged entries.
    private var known: Contents = [:]
    /// Other possible values, for keys whose last change was not acknowledged.
    private var possible: [String: [StoredValue?]] = [:]
    /// The expected state of the open store.
    private var standing = FaultTable.Standing.usable
    /// The inode of a file that must have been replaced when the store is opened again.
    private var suspect: Int?
    private(set) var problems: [String] = []

    init(_ fault: FaultProof.Fault, _ index: Int, _ io: DeviceStoreOptions.IO) {
        self.fault = fault
        self.index = index
        self.io = io
        table = FaultTable(io: io, leavesBytes: fault.writing > 0)
        disk.fail(at: index, with: fault)
    }

    /// Whether the failing call was made.
    var wasReached: Bool { disk.operationCount > index }

    mutating func perform() {
        for round in 0..<2 {
            guard let store = open() else { continue }
            for number in 0..<4 {
                change(store, ["key\(number)": .string("round \(round), \(number)")], isSynced: number == 2)
            }
            change(store, ["key1": nil, "pair": .int(Int64(round)), "other": .int(Int64(round))], isSynced: false)
            change(store, ["large": .data(Data(repeating: UInt8(round), count: 20_000))], isSynced: round == 1)
            // More than the reserved space.
            change(store, ["huge": .data(Data(repeating: 7 + UInt8(round), count: 70_000))], isSynced: false)
            let compacted = request(.compacting) { try store.compact() }
            look(at: store, after: compacted)
            change(store, ["key0": .int(7 + Int64(round))], isSynced: false)
            let flushed = request(.flushing) { try store.flushNow() }
            look(at: store, after: flushed)
            change(store, ["key3": nil], isSynced: false)
            if fault.forever, wasReached { disk.withoutFailing { followUp(store) } }
            request(.closing) { try store.closeNow() }
        }
        disk.stopFailing()
        look()
    }

    // MARK: Requests

    private mutating func open() -> DeviceStore? {
        standing = .usable
        let inode = disk.inode(at: SimulatedStore.path)
        var store: DeviceStore?
        let simulated = SimulatedStore(on: disk, io)
        request(.opening) { store = try simulated.open() }
        // A detected fault persists until everything has been written to another file.
        if standing == .poisoned, suspect == nil { suspect = inode }
        if store != nil { noteOpened() }
        return store
    }

    /// Checks that opening the store has replaced a file that could not be trusted.
    private mutating func noteOpened() {
        if let suspect, disk.inode(at: SimulatedStore.path) == suspect {
            problems.append("it goes on with a file of which a sync or a write failed")
        }
        suspect = nil
    }

    private mutating func change(_ store: DeviceStore, _ writes: [String: StoredValue?], isSynced: Bool) {
        var batch = StoreBatch()
        for (key, value) in writes.sorted(by: { $0.key < $1.key }) { batch.write(value, for: StoreKey(key)) }
        let made = request(isSynced ? .committingSynced : .committing) {
            _ = isSynced ? try store.commit(batch, durability: .synced) : try store.commit(batch)
        }
        if made.isGranted {
            for (key, value) in writes {
                known[key] = value
                possible[key] = nil
            }
        } else {
            lookAtRefused(store, writes, isSynced: isSynced)
        }
        if !made.isGranted,
            made.failed.count > 1 || made.failed.contains(where: { unconfirming(isSynced).contains($0.operation) })
        {
            // A synced commit may be in place, as a whole, although the disk did not confirm it. When the store is opened again, so may a
            // commit whose traces could not be removed. Nothing else may.
            for (key, value) in writes { possible[key, default: []].append(value) }
        }
        look(at: store, after: made)
    }

    /// Returns the calls whose failure may leave a failed commit in place, which are the sync and the following check of the log.
    private func unconfirming(_ isSynced: Bool) -> Set<FileError.Operation> {
        isSynced ? [.synchronize, .inspect, .read] : [.synchronize]
    }

    /// Checks that the open store does not show a refused commit, unless only its sync failed.
    ///
    /// The store must never show part of a commit.
    private mutating func lookAtRefused(_ store: DeviceStore, _ writes: [String: StoredValue?], isSynced: Bool) {
        // Read failures are checked elsewhere.
        guard let read = try? writes.keys.map({ try store.get(StoreKey($0)) }) else { return }
        let new = writes.keys.map { writes[$0] ?? nil }
        let old = writes.keys.map { known[$0] }
        if read != new, read != old, possible.isEmpty { problems.append("a part of \(writes.keys)") }
        if !isSynced, read == new, new != old { problems.append("a commit that failed is there") }
    }

    /// The result of a request.
    private struct Outcome {
        var request: FaultTable.Request
        var isGranted: Bool
        /// The calls that failed during the request.
        var failed: [RecordedOperation]
    }

    /// Makes a request, and checks its result against the table.
    ///
    /// - Returns: The result.
    @discardableResult
    private mutating func request(_ request: FaultTable.Request, _ body: () throws -> Void) -> Outcome {
        let before = disk.operations.count
        var error: (any Error)?
        do { try body() } catch let thrown { error = thrown }
        let failed = disk.operations[before...].filter { $0.errno != nil }
        judge(request, error, failed)
        return Outcome(request: request, isGranted: error == nil, failed: failed)
    }

    private mutating func judge(
        _ request: FaultTable.Request,
        _ error: (any Error)?,
        _ failed: [RecordedOperation]
    ) {
        let code = (error as? StoreError)?.code
        let what = "\(request.rawValue), when \(failed.map(\.description)) failed,"
        if let error, code == nil { problems.append("\(what) threw \(error)") }
        if standing == .poisoned {
            // Closing a poisoned store writes nothing. A compaction may fail at the disk before it finds the poisoned file.
            let isCutShort = request == .compacting && error != nil && !failed.isEmpty
            if code != .closed, request != .closing, !isCutShort {
                problems.append("\(what) came to \(code as Any) in a poisoned store")
            }
            return
        }
        if failed.isEmpty {
            if let error { problems.append("\(request.rawValue) threw \(error) though nothing failed") }
            return
        }
        guard let verdict = table.verdict(on: request, failed) else {
            problems.append("\(what) came to \(error as Any), of which the table says nothing")
            return
        }
        guard let code else {
            if error == nil, !verdict.mayBeGranted { problems.append("\(what) was granted") }
            return
        }
        if !verdict.codes.contains(code) { problems.append("\(what) threw \(code) instead of \(verdict.codes)") }
        standing = verdict.standing
        if standing == .poisoned { suspect = disk.inode(at: SimulatedStore.path) }
    }

    // MARK: Checks after a request

    /// Checks the store after a request that was refused or during which calls failed.
    private mutating func look(at store: DeviceStore, after outcome: Outcome) {
        if outcome.failed.isEmpty, outcome.isGranted { return }
        if !outcome.isGranted { lookWhileFailing(store, after: outcome.request) }
        if !fault.forever { followUp(store) }
    }

    /// Checks that reads return only acknowledged values while calls fail.
    private mutating func lookWhileFailing(_ store: DeviceStore, after request: FaultTable.Request) {
        for key in Set(known.keys).union(possible.keys).sorted() {
            do {
                let value = try store.get(StoreKey(key))
                if value == known[key] || possible[key, default: []].contains(value) { continue }
                problems.append("after \(request.rawValue), \(key) is read as \(value as Any)")
            } catch {
                // Values in the file can't be read from a failing disk.
                let isInFile = ["large", "huge"].contains(key) && fault.forever && fault.operations == nil
                if !isInFile { problems.append("after \(request.rawValue), \(key) can't be read: \(error)") }
            }
        }
    }

    /// Checks without further failures that all values can be read, and that writes succeed if the table expects it.
    private mutating func followUp(_ store: DeviceStore) {
        do {
            try store.set(.int(Int64(index)), for: "follow-up")
            known["follow-up"] = .int(Int64(index))
            if standing == .poisoned { problems.append("a poisoned store takes a commit") }
            try store.flushNow()
            if standing == .poisoned { problems.append("a poisoned store is flushed") }
        } catch {
            let isClosed = (error as? StoreError)?.code == .closed
            if standing == .usable || !isClosed {
                problems.append("afterwards, in a store that is \(standing): \(error)")
            }
        }
        if standing == .poisoned {
            if code({ try store.flushNow() }) != .closed { problems.append("a poisoned store can be flushed") }
            if code({ try store.compact() }) != .closed { problems.append("a poisoned store can be compacted") }
        }
        do {
            problems += differences(from: try store.contents()).map { "read from the open store, \($0)" }
        } catch {
            problems.append("it can't be read any more: \(error)")
        }
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do { try body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    private func differences(from found: Contents) -> [String] {
        Set(known.keys).union(found.keys).union(possible.keys).sorted().compactMap { key in
            let allowed = [known[key]] + possible[key, default: []]
            return allowed.contains(found[key]) ? nil : "\(key) is \(found[key] as Any) instead of one of \(allowed)"
        }
    }

    /// Opens and checks the store without further failures.
    private mutating func look() {
        do {
            let store = try SimulatedStore(on: disk, io).open()
            noteOpened()
            let found = try store.contents()
            problems += differences(from: found)
            let verification = try store.verify()
            if !verification.isIntact { problems.append("not intact: \(verification.problems)") }
            try store.setSynced(.int(99), for: "after")
            let image = disk.afterPowerLoss(seed: UInt64(index), isRecording: false)
            var last = found
            last["after"] = .int(99)
            let left = try SimulatedStore(on: image, io).open().contents()
            if left != last { problems.append("after opening, a synced commit and power loss: \(left)") }
        } catch {
            problems.append("it can't be used again: \(error)")
        }
    }
}
