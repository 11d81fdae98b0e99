package import DeviceStoreProofs
import Foundation
import LarderCore
package import LarderDeviceStore
import LarderTestSupport
import LarderTesting

/// A run of one program on a store in two simulated processes, on a dictionary, and on SQLite.
package struct ModelRun {
    private struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    private struct Known {
        var value: StoredValue
        /// The expiry time in milliseconds since 1970.
        var expiry: Int64?
    }

    /// A closure that changes a store after a step, to test that the comparison detects the change.
    package typealias Meddling = (ModelStep, DeviceStore) throws -> Void

    private let io: DeviceStoreOptions.IO
    private let disk = SimulatedFileSystem(directories: ["/data"], isRecording: false)
    private let time = ManualTimeSource()
    private let oracle: SQLiteOracle
    private var processes: [SimulatedProcess]
    private var stores: [DeviceStore?] = [nil, nil]
    private var current = 0
    private var model: [String: Known] = [:]

    private init(_ io: DeviceStoreOptions.IO) throws {
        self.io = io
        oracle = try SQLiteOracle()
        processes = [SimulatedProcess(on: disk), SimulatedProcess(on: disk)]
    }

    /// Returns the first difference between the store and its models, or `nil`.
    package static func failure(
        of steps: [ModelStep],
        _ io: DeviceStoreOptions.IO,
        meddling: Meddling = { _, _ in }
    ) -> String? {
        silently {
            do {
                var run = try ModelRun(io)
                for (number, step) in steps.enumerated() {
                    do {
                        try run.perform(step)
                        if let store = run.stores[run.current] { try meddling(step, store) }
                        try run.compare(number, step)
                    } catch {
                        return "step \(number), \(step): \(error)"
                    }
                }
                return nil
            } catch {
                return "\(error)"
            }
        }
    }

    /// Returns a shorter program that still fails.
    package static func shrunk(
        _ steps: [ModelStep],
        _ io: DeviceStoreOptions.IO,
        meddling: Meddling = { _, _ in }
    ) -> [ModelStep] {
        var steps = steps
        var size = steps.count / 2
        while size > 0 {
            var start = 0
            while start < steps.count {
                var fewer = steps
                fewer.removeSubrange(start..<min(steps.count, start + size))
                if failure(of: fewer, io, meddling: meddling) != nil { steps = fewer } else { start += size }
            }
            size /= 2
        }
        return steps
    }

    /// Runs one random program, and shortens it if it fails.
    package static func check(seed: UInt64, steps count: Int, _ io: DeviceStoreOptions.IO) -> ProofReport {
        var report = ProofReport(unit: "steps")
        report.programs = 1
        report.count = count
        var generator = SplitMix64(seed: seed)
        let steps = (0..<count).map { _ in ModelStep.random(&generator) }
        guard failure(of: steps, io) != nil else { return report }
        let small = shrunk(steps, io)
        report.fail("\(io), seed \(seed): \(failure(of: small, io) ?? "") in \(small)")
        return report
    }

    private var now: Int64 { Int64((time.now.timeIntervalSince1970 * 1000).rounded(.down)) }

    private func key(_ number: Int) -> StoreKey {
        number % 3 == 0 ? StoreKey("k\(number)") : StoreKey("\(number)", prefix: "prefix.that.is.longer.")
    }

    private func known(_ key: StoreKey) -> StoredValue? {
        guard let known = model[key.text], known.expiry.map({ $0 > now }) ?? true else { return nil }
        return known.value
    }

    private mutating func store() throws -> DeviceStore {
        if let store = stores[current] { return store }
        let store = try SimulatedStore(on: processes[current], io).open { $0.environment.time = time }
        stores[current] = store
        return store
    }

    private mutating func compare(_ number: Int, _ step: ModelStep) throws {
        let store = try store()
        let key = key(number % ModelStep.keyCount)
        let found = try store.get(key)
        guard found == known(key) else { throw Mismatch(description: "\(key.text) is \(found as Any)") }
        let isSpecial = [.compact, .reopen, .die, .maintain].contains(step)
        guard isSpecial || number % 16 == 0 else { return }
        let contents = try store.contents()
        let expected = model.filter { $0.value.expiry.map { $0 > now } ?? true }.mapValues(\.value)
        guard contents == expected else {
            throw Mismatch(description: "\(contents.keys.sorted()) instead of \(expected.keys.sorted())")
        }
        guard try contents == oracle.contents(now: now) else {
            throw Mismatch(description: "SQLite has other contents")
        }
        guard isSpecial || number % 64 == 0 else { return }
        let verification = try store.verify()
        guard verification.isIntact else { throw Mismatch(description: "\(verification.problems)") }
    }

    private mutating func die() throws {
        _ = try store()
        processes[current].kill()
        stores[current] = nil
        processes[current].bury()
        processes[current] = SimulatedProcess(on: disk)
    }

    private mutating func perform(_ step: ModelStep) throws {
        if step == .die { return try die() }
        let store = try store()
        var batch = StoreBatch()
        var expiry: Int64?
        var expected = true
        switch step {
        case .set(let number, let value): batch.set(value, for: key(number))
        case .setUntil(let number, let value, let seconds):
            expiry = now + Int64(seconds) * 1000
            batch.set(value, for: key(number))
        case .remove(let number): batch.remove(key(number))
        case .batch(let numbers, let values):
            for (number, value) in zip(numbers, values) { batch.write(value, for: key(number)) }
        case .compareAndSet(let number, let value):
            batch.expect(known(key(number)), at: key(number))
            batch.write(value, for: key(number))
        case .failedExpectation(let number):
            batch.set(.int(99), for: key(number + 1))
            batch.expect(.string("never stored"), at: key(number))
            expected = false
        case .wait(let seconds): time.setWallClock(to: time.now.addingTimeInterval(Double(seconds)))
        case .flush: try store.flushNow()
        case .reopen:
            try store.closeNow()
            stores[current] = nil
        case .die: break
        case .compact: try store.compact()
        case .maintain: store.maintain()
        case .switchProcess: current = 1 - current
        }
        guard !batch.writes.isEmpty || !batch.expectations.isEmpty else { return }
        let isDone: Bool
        if let expiry, let write = batch.writes.first, let value = write.value {
            try store.set(value, for: write.key, until: Date(timeIntervalSince1970: Double(expiry) / 1000))
            isDone = true
        } else {
            isDone = try store.commit(batch)
        }
        guard isDone == expected else { throw Mismatch(description: "committed: \(isDone)") }
        guard try oracle.commit(batch, until: expiry, now: now) == isDone else {
            throw Mismatch(description: "SQLite disagrees about the expectation")
        }
        guard isDone else { return }
        for write in batch.writes { model[write.key.text] = write.value.map { Known(value: $0, expiry: expiry) } }
    }
}
