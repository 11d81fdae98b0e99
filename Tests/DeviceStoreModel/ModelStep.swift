import Foundation
package import LarderCore
package import LarderTestSupport

/// One step of a random program.
package enum ModelStep: Hashable, Sendable, CustomStringConvertible {
    case set(Int, StoredValue)
    /// Sets a value that expires after a number of seconds.
    case setUntil(Int, StoredValue, Int)
    case remove(Int)
    case batch([Int], [StoredValue?])
    case compareAndSet(Int, StoredValue?)
    /// Commits with an expectation that does not hold.
    case failedExpectation(Int)
    /// Lets a number of seconds pass.
    case wait(Int)
    case flush
    case reopen
    /// Kills the process.
    case die
    case compact
    case maintain
    /// Continues with the other process.
    case switchProcess

    static let keyCount = 12

    /// The step as Swift code, so that a failing program can be copied into a test.
    package var description: String {
        switch self {
        case .set(let key, let value): ".set(\(key), \(Self.text(value)))"
        case .setUntil(let key, let value, let seconds): ".setUntil(\(key), \(Self.text(value)), \(seconds))"
        case .remove(let key): ".remove(\(key))"
        case .batch(let keys, let values): ".batch(\(keys), [\(values.map(Self.text).joined(separator: ", "))])"
        case .compareAndSet(let key, let value): ".compareAndSet(\(key), \(Self.text(value)))"
        case .failedExpectation(let key): ".failedExpectation(\(key))"
        case .wait(let seconds): ".wait(\(seconds))"
        case .flush: ".flush"
        case .reopen: ".reopen"
        case .die: ".die"
        case .compact: ".compact"
        case .maintain: ".maintain"
        case .switchProcess: ".switchProcess"
        }
    }

    private static func text(_ value: StoredValue?) -> String {
        switch value {
        case nil: "nil"
        case .int(let number): ".int(\(number))"
        case .bool(let flag): ".bool(\(flag))"
        case .string(let text): ".string(String(repeating: \"é\", count: \(text.count)))"
        case .data(let data): ".data(Data(repeating: \(data.first ?? 0), count: \(data.count)))"
        case .some(let value): "\(value)"
        }
    }

    package static func random(_ generator: inout SplitMix64) -> ModelStep {
        let key = Int.random(in: 0..<keyCount, using: &generator)
        func maybe() -> StoredValue? { Bool.random(using: &generator) ? value(&generator) : StoredValue?.none }
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<38: return .set(key, value(&generator))
        case 38..<44: return .setUntil(key, value(&generator), Int.random(in: -1...4, using: &generator))
        case 44..<56: return .remove(key)
        case 56..<68:
            let keys = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                Int.random(in: 0..<keyCount, using: &generator)
            }
            return .batch(keys, keys.map { _ in maybe() })
        case 68..<77: return .compareAndSet(key, maybe())
        case 77..<79: return .failedExpectation(key)
        case 79..<82: return .wait(Int.random(in: 1...3, using: &generator))
        case 82..<85: return .flush
        case 85..<88: return .reopen
        case 88..<90: return .die
        case 90..<92: return .compact
        case 92..<94: return .maintain
        default: return .switchProcess
        }
    }

    private static func value(_ generator: inout SplitMix64) -> StoredValue {
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
