import LarderCore
import LarderDeviceStorage
import Synchronization

/// A codec that uses a custom bridge with a temporary `UserDefaults` object.
struct BridgeCodec<Value>: DefaultsCodec {
    let bridge: DefaultsBridge<Value>

    func encode(_ value: Value) throws -> StoredValue {
        let scratch = ScratchDefaults()
        let issues = CollectedIssues()
        issues.collect { bridge.save(key: Self.key.name, value: value, userDefaults: scratch.userDefaults) }
        guard let stored = try scratch.value(for: Self.key) else {
            throw issues.firstError
                ?? CoreError.Failed(
                    "The bridge \(type(of: bridge)) did not save a value. In its save method, store exactly one value under the given key."
                )
        }
        return stored
    }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        let scratch = try ScratchDefaults(stored, for: Self.key)
        let issues = CollectedIssues()
        guard let value = issues.collect({ bridge.get(key: Self.key.name, userDefaults: scratch.userDefaults) }) else {
            throw issues.firstError ?? notConvertible(stored)
        }
        return Conversion(value, isLossy: issues.haveLoss)
    }

    private static var key: StoreKey { "element" }
}

/// A thread-safe collection of the issues that a bridge reports.
final class CollectedIssues: Sendable {
    private let collected = Mutex<[LarderIssue]>([])

    var all: [LarderIssue] { collected.withLock(\.self) }
    var firstError: (any Error)? { all.lazy.compactMap(\.underlying).first }
    /// Whether any conversion was lossy.
    var haveLoss: Bool { all.contains { $0.code == .lossyConversion } }

    func collect<Result>(_ body: () -> Result) -> Result {
        withIssueHandler({ [self] issue in collected.withLock { $0.append(issue) } }, operation: body)
    }
}
