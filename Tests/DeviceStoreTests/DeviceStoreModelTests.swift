import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Testing

/// One step of a random program.
enum ModelStep: Hashable, CustomStringConvertible {
    case set(Int, StoredValue)
    case remove(Int)
    case batch([Int], [StoredValue?])
    case compareAndSet(Int, StoredValue?)
    case reopen
    case die
    case compact
    case maintain
    /// Which of two processes goes on.
    case switchProcess

    var description: String {
        switch self {
        case .set(let key, let value): ".set(\(key), \(value.kind))"
        case .remove(let key): ".remove(\(key))"
        case .batch(let keys, let values): ".batch(\(keys), \(values.map { $0?.kind.rawValue ?? "-" }))"
        case .compareAndSet(let key, _): ".compareAndSet(\(key))"
        case .reopen: ".reopen"
        case .die: ".die"
        case .compact: ".compact"
        case .maintain: ".maintain"
        case .switchProcess: ".switchProcess"
        }
    }

    static func random(_ generator: inout SeededGenerator) -> ModelStep {
        let key = Int.random(in: 0..<12, using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<45: return .set(key, value(&generator))
        case 45..<60: return .remove(key)
        case 60..<72:
            let keys = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                Int.random(in: 0..<12, using: &generator)
            }
            return .batch(
                keys,
                keys.map { _ in Bool.random(using: &generator) ? value(&generator) : StoredValue?.none }
            )
        case 72..<82: return .compareAndSet(key, Bool.random(using: &generator) ? value(&generator) : StoredValue?.none)
        case 82..<86: return .reopen
        case 86..<89: return .die
        case 89..<91: return .compact
        case 91..<93: return .maintain
        default: return .switchProcess
        }
    }

    private static func value(_ generator: inout SeededGenerator) -> StoredValue {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<8: .int(Int64.random(in: -3...3, using: &generator))
        case 8..<12: .string(String(repeating: "é", count: Int.random(in: 0..<40, using: &generator)))
        case 12..<14: .data(Data(repeating: UInt8.random(in: 0...255, using: &generator), count: 3000))
        case 14: .data(Data(repeating: UInt8.random(in: 0...255, using: &generator), count: 20_000))
        case 15: .array([.int(1), .null, .dictionary(["a": .bool(true)])])
        case 16: .double(.nan)
        default: .bool(Bool.random(using: &generator))
        }
    }
}

/// Runs a program on a store, as two processes, and on a dictionary.
struct ModelRun {
    private var disk = LyingFileSystem(directories: ["/data"], isRecording: false)
    private var stores: [DeviceStore?] = [nil, nil]
    private var current = 0
    private var model: [String: StoredValue] = [:]

    /// The first thing that was not as it should be, or `nil`.
    static func failure(of steps: [ModelStep]) -> String? {
        var run = ModelRun()
        for (number, step) in steps.enumerated() {
            do {
                try run.perform(step)
                let store = try run.store()
                let found = try contents(store)
                if found != run.model {
                    return "step \(number), \(step): \(found.keys.sorted()) instead of \(run.model.keys.sorted())"
                }
                if number % 8 == 0 || step == .compact {
                    let verification = try store.verify()
                    if !verification.isIntact { return "step \(number), \(step): \(verification)" }
                }
            } catch {
                return "step \(number), \(step): \(error)"
            }
        }
        return nil
    }

    private func key(_ number: Int) -> StoreKey {
        number % 3 == 0 ? StoreKey("k\(number)") : StoreKey("\(number)", prefix: "prefix.that.is.longer.")
    }

    private mutating func store() throws -> DeviceStore {
        if let store = stores[current] { return store }
        let store = try LyingStore(disk).open()
        stores[current] = store
        return store
    }

    private mutating func perform(_ step: ModelStep) throws {
        let store = try store()
        switch step {
        case .set(let number, let value):
            try store.set(value, for: key(number))
            model[key(number).text] = value
        case .remove(let number):
            try store.remove(key(number))
            model[key(number).text] = nil
        case .batch(let numbers, let values):
            var batch = StoreBatch()
            for (number, value) in zip(numbers, values) {
                batch.write(value, for: key(number))
                model[key(number).text] = value
            }
            _ = try store.commit(batch)
        case .compareAndSet(let number, let value):
            let expected = model[key(number).text]
            guard try store.compareAndSet(key(number), expecting: expected, to: value) else {
                throw ModelMismatch(description: "the expectation did not hold")
            }
            guard try !store.compareAndSet(key(number), expecting: .string("never stored"), to: nil) else {
                throw ModelMismatch(description: "a wrong expectation held")
            }
            model[key(number).text] = value
        case .reopen:
            try store.close()
            stores[current] = nil
        case .die:
            // The other process goes on; this one is gone without having said so.
            stores[current] = nil
        case .compact: try store.compact()
        case .maintain: store.maintain()
        case .switchProcess: current = 1 - current
        }
    }
}

@Suite struct DeviceStoreModelTests {
    @Test(arguments: 0..<12) func randomProgramsAgreeWithADictionary(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let steps = (0..<400).map { _ in ModelStep.random(&generator) }
        guard ModelRun.failure(of: steps) != nil else { return }
        let small = shrunk(steps)
        Issue.record("seed \(seed): \(ModelRun.failure(of: small) ?? "") in \(small)")
    }

    /// A short program that still fails.
    private func shrunk(_ steps: [ModelStep]) -> [ModelStep] {
        var steps = steps
        var size = steps.count / 2
        while size > 0 {
            var start = 0
            while start < steps.count {
                var fewer = steps
                fewer.removeSubrange(start..<min(steps.count, start + size))
                if ModelRun.failure(of: fewer) != nil { steps = fewer } else { start += size }
            }
            size /= 2
        }
        return steps
    }
}

private struct ModelMismatch: Error, CustomStringConvertible {
    let description: String
}
