import Foundation
import LarderDefaults
import Testing

/// The requirements for types whose behavior is checked.
typealias CheckedType = DefaultsSerializable & Equatable & Sendable & SendableMetatype

/// A check that must pass for every type.
protocol TypeCheck {
    /// Checks a type with three different values.
    func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) throws where Value.T == Value
}

/// Runs a check for each type that SwiftyUserDefaults' own tests cover, for arrays of these types, and for Larder's additional types.
func checkEveryType(_ check: some TypeCheck) throws {
    func both<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) throws where Value.T == Value {
        try check.check(first, second, third)
        try check.check([first], [second, third], [Value]())
    }
    try check.check(true, false, true)
    try check.check([true], [false, true], [])
    try both(Data([1]), Data(), Data([2, 3]))
    try both(Date(timeIntervalSinceReferenceDate: 0.5), .distantPast, .distantFuture)
    try both(["a": 1], ["b": 2], [:])
    try both(0.1, -.infinity, 3)
    try both(1, .min, .max)
    try both("a", "", "🙂")
    try both(URL(filePath: "/a"), URL(filePath: "/b"), URL(filePath: "/c"))
    try both(Weather.sun, .rain, .snow)
    try both(CodableFrog(name: "a"), CodableFrog(name: "b"), CodableFrog(name: "c", weight: 2))
    try both(ArchivedFrog(name: "a"), ArchivedFrog(name: "b"), ArchivedFrog(name: "c"))
    try both(BridgedFrog(name: "a"), BridgedFrog(name: "b"), BridgedFrog(name: "c"))
}

enum Weather: String, DefaultsSerializable { case sun, rain, snow }

/// A key store with one key, for key paths in generic checks.
struct OneKey<Value: DefaultsSerializable>: DefaultsKeyStore {
    let key: DefaultsKey<Value>
}
