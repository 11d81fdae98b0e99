import Foundation
import LarderCore
import LarderFiles
package import LarderStores
import LarderTestSupport

/// A call that fails, each in turn: what the format document says of it, nothing acknowledged lost, and a store that can be
/// opened again.
package enum FaultProof {
    /// How calls fail.
    package struct Fault: Sendable, Hashable, CustomStringConvertible {
        package var errno: Int32
        /// From there on every call fails.
        package var forever: Bool
        /// How many bytes a failing write has written.
        package var writing: Int

        package var description: String { "errno \(errno)\(forever ? " for ever" : ""), having written \(writing)" }

        /// Every way to fail.
        package static let all: [Fault] = [EIO, ENOSPC, EINTR].flatMap { errno in
            [false, true].flatMap { forever in
                [0, 1, 13, 21].map { Fault(errno: errno, forever: forever, writing: $0) }
            }
        }

        /// One for each way that what fails can be told from another.
        package static let few = all.filter { $0.writing == 13 && $0.errno != EINTR }
    }

    /// Runs the same program again and again, until the call that fails is behind its end.
    ///
    /// - Parameters:
    ///   - fault: How it fails.
    ///   - io: How the store reaches its file.
    ///   - step: From one call that fails to the next one that does, in another run.
    /// - Returns: How many calls, and what was wrong.
    package static func failEachCall(_ fault: Fault, _ io: DeviceStoreOptions.IO, stride step: Int = 1) -> ProofReport {
        var report = ProofReport(unit: "failing calls")
        report.programs = 1
        silently {
            for index in stride(from: 0, to: 10_000, by: step) {
                var run = FaultRun(fault, index, io)
                run.perform()
                report.count += 1
                for problem in run.problems { report.fail("\(io), call \(index) with \(fault): \(problem)") }
                if !run.wasReached { return }
            }
            report.fail("\(io), \(fault): the program never ends")
        }
        return report
    }
}

/// One run of the program.
private struct FaultRun {
    private let fault: FaultProof.Fault
    private let index: Int
    private let io: DeviceStoreOptions.IO
    private let disk = SimulatedStore.disk()
    /// What was acknowledged.
    private var known: Contents = [:]
    /// What else may be there, of keys whose last change was not acknowledged.
    private var possible: [String: [StoredValue?]] = [:]
    private(set) var problems: [String] = []

    init(_ fault: FaultProof.Fault, _ index: Int, _ io: DeviceStoreOptions.IO) {
        self.fault = fault
        self.index = index
        self.io = io
        disk.fail(at: index, errno: fault.errno, forever: fault.forever, writing: fault.writing)
    }

    /// Whether the call that fails was made.
    var wasReached: Bool { disk.operationCount > index }

    mutating func perform() {
        for round in 0..<2 {
            guard let store = open() else { continue }
            for number in 0..<4 {
                change(store, ["key\(number)": .string("round \(round), \(number)")], isSynced: number == 2)
            }
            change(store, ["key1": nil, "pair": .int(Int64(round)), "other": .int(Int64(round))], isSynced: false)
            change(store, ["large": .data(Data(repeating: UInt8(round), count: 20_000))], isSynced: round == 1)
            attempt(store, "compacting") { try store.compact() }
            change(store, ["key0": .int(7 + Int64(round))], isSynced: false)
            attempt(store, "flushing") { try store.flushNow() }
            change(store, ["key3": nil], isSynced: false)
            attempt(store, "closing") { try store.closeNow() }
        }
        disk.stopFailing()
        look()
    }

    private mutating func open() -> DeviceStore? {
        do {
            return try SimulatedStore(on: disk, io).open()
        } catch {
            check(error, "opening")
            return nil
        }
    }

    private mutating func change(_ store: DeviceStore, _ writes: [String: StoredValue?], isSynced: Bool) {
        var batch = StoreBatch()
        for (key, value) in writes.sorted(by: { $0.key < $1.key }) { batch.write(value, for: StoreKey(key)) }
        let before = disk.operations.count
        do {
            _ = isSynced ? try store.commit(batch, durability: .synced) : try store.commit(batch)
            for (key, value) in writes {
                known[key] = value
                possible[key] = nil
            }
        } catch {
            check(error, "changing \(writes.keys.sorted())")
            // A synced commit may have been made although the disk did not confirm it: all of it, or nothing.
            if let read = try? writes.keys.map({ key in try store.get(StoreKey(key)) }) {
                let new = writes.keys.map { writes[$0] ?? nil }
                let old = writes.keys.map { known[$0] }
                if read != new, read != old, possible.isEmpty { problems.append("a part of \(writes.keys)") }
                if !isSynced, read == new, new != old { problems.append("a commit that failed is there") }
            }
            for (key, value) in writes { possible[key, default: []].append(value) }
            followUp(store, since: before)
        }
    }

    /// What the store does after a call to the disk failed under it.
    private mutating func followUp(_ store: DeviceStore, since before: Int) {
        guard !fault.forever, let failed = disk.operations[before...].first(where: { $0.errno != nil }) else { return }
        guard failed.path == SimulatedStore.path else { return }
        var isUsable = true
        do {
            try store.set(.int(Int64(index)), for: "follow-up")
            known["follow-up"] = .int(Int64(index))
        } catch {
            isUsable = false
            if (error as? StoreError)?.code != .closed { problems.append("the next commit failed with \(error)") }
        }
        if failed.operation == .synchronize, isUsable { problems.append("a failed sync left the store usable") }
        if failed.operation == .write, fault.errno == ENOSPC, !isUsable {
            problems.append("a full disk closed the store")
        }
        if failed.operation == .write, fault.errno != ENOSPC, isUsable {
            problems.append("a failed write left it usable")
        }
        if (try? store.keys()) == nil { problems.append("it can't be read any more") }
    }

    private mutating func attempt(_ store: DeviceStore, _ what: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            check(error, what)
        }
    }

    private mutating func check(_ error: any Error, _ what: String) {
        guard let error = error as? StoreError else {
            problems.append("\(what) failed with \(error)")
            return
        }
        if error.code == .damaged || error.code == .newerFormat { problems.append("\(what) failed with \(error)") }
    }

    /// Opens it when nothing fails any more.
    private mutating func look() {
        do {
            let store = try SimulatedStore(on: disk, io).open()
            let found = try store.contents()
            for key in Set(known.keys).union(found.keys).union(possible.keys) {
                let allowed = [known[key]] + possible[key, default: []]
                if !allowed.contains(found[key]) {
                    problems.append("\(key) is \(found[key] as Any) instead of one of \(allowed)")
                }
            }
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
