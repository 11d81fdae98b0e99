import Foundation
import LarderCore

extension ContractRun {
    func valuesAreReadBackExactly(_ store: any KeyValueStore) throws {
        let long = String(repeating: "é🙂x", count: 14_000)
        let edges = StoredValueGenerator.edgeValues + [.string(long), .data(Data(repeating: 7, count: 100_000))]
        let values = edges.filter(store.holdsExactly)
        // All values are written in one commit, because some stores write their whole file for each commit.
        var batch = StoreBatch()
        for (index, value) in values.enumerated() { batch.set(value, for: StoreKey("value.\(index)")) }
        try commitInParts(batch, to: store)
        for (index, value) in values.enumerated() { try requireValue(value, at: "value.\(index)", in: store) }
        for value in [.float(0.1), "e\u{301}", -0.0, .double(.nan), ["larder:type": "null"]] as [StoredValue] {
            guard store.holdsExactly(value) else { continue }
            try store.set(value, for: "single")
            try requireValue(value, at: "single", in: store)
        }
        try otherValuesAreHeldOrRefused(edges.filter { !store.holdsExactly($0) }, by: store)
    }

    /// Throws a violation unless the store accepts each value, or rejects the value with an error that names the key.
    ///
    /// The values are of kinds that the store doesn't declare to store exactly.
    private func otherValuesAreHeldOrRefused(_ values: [StoredValue], by store: any KeyValueStore) throws {
        for value in values {
            try store.remove("other")
            do {
                try store.validate(value, for: "other")
            } catch let error as StoreError where error.code == .unsupportedValue {
                try require(error.key == "other", "the error for \(value) should name the key")
                try requireRefusal(.unsupportedValue, of: "\(value)", by: store) { try store.set(value, for: "other") }
                continue
            }
            try store.set(value, for: "other")
            try require(try store.contains("other"), "\(value) was accepted, but is absent")
        }
        try store.remove("other")
    }

    func randomValuesAreReadBackExactly(_ store: any KeyValueStore) throws {
        let seed: UInt64 = 20_260_101
        var generator = StoredValueGenerator(seed: seed)
        var expected = StoredDictionary()
        var batch = StoreBatch()
        for _ in 0..<200 {
            let key = generator.key()
            let value = generator.value()
            guard store.holdsExactly(value), store.admits(key) else { continue }
            expected[key] = value
            batch.set(value, for: StoreKey(key))
        }
        try commitInParts(batch, to: store)
        try requireEntries(expected.map { ($0.key, $0.value) }, in: store)
        for entry in expected { try requireValue(entry.value, at: entry.key, in: store) }
    }

    func everyNaNIsCanonical(_ store: any KeyValueStore) throws {
        let values: [StoredValue] = [
            .double(-.nan), .double(Double(nan: 7, signaling: false)), .float(-.nan),
            .date(Date(timeIntervalSinceReferenceDate: -.nan)), [1, .double(-.nan)], ["k": [.float(-.nan)]],
        ]
        for value in values.filter(store.holdsExactly) {
            let ways: [(StoredValue) throws -> Void] = [
                { try store.set($0, for: "nan") },
                { try store.set($0, for: StoreKey("nan")) },
                { value in
                    var batch = StoreBatch()
                    batch.set(value, for: "nan")
                    batch.set(1, for: "other")
                    _ = try store.commit(batch)
                },
                { _ = try store.compareAndSet("nan", expecting: nil, to: $0) },
                { value in
                    try store.transaction { transaction in
                        try transaction.set(value, for: "nan")
                        try requireCanonicalNaN(transaction.get("nan"), "in a transaction")
                    }
                },
            ]
            for write in ways {
                try store.remove("nan")
                try write(value)
                try requireCanonicalNaN(store.get("nan"), "as a single value")
                try requireCanonicalNaN(store.entries(prefix: "nan").first?.value, "in a listing")
            }
        }
    }

    private func requireCanonicalNaN(_ value: StoredValue?, _ place: String) throws {
        try require(
            value?.holdsCanonicalNaN == true,
            "a NaN should be read as the canonical NaN \(place), but is \(String(describing: value))"
        )
    }

    func overwritingAndRemoving(_ store: any KeyValueStore) throws {
        try requireValue(nil, at: "a", in: store)
        try store.set(1, for: "a")
        try store.set("two", for: "a")
        try requireValue("two", at: "a", in: store)
        try require(try store.contains("a"), "`contains` should be true for a stored key")
        try store.remove("a")
        try store.remove("a")
        try requireValue(nil, at: "a", in: store)
        try require(try !store.contains("a"), "`contains` should be false for a removed key")
        try requireEntries([], in: store)
        try store.set(3, for: "a")
        try requireEntries([("a", 3)], in: store)
    }

    func typedValues(_ store: any KeyValueStore) throws {
        let (number, name, key) = (42, "number", StoreKey("pi", prefix: "typed."))
        try store.set(number, for: name)
        try store.set("3.25", for: key)
        try store.set("no number", for: "typed.\(number)")
        try require(try store.value(Int.self, for: name) == 42, "an integer should be read back unchanged")
        try require(try store.value(Double.self, for: key) == 3.25, "a numeric string should convert to a number")
        try require(try store.value(Int.self, for: "absent") == nil, "an absent value should be nil")
        try store.transaction { transaction in
            let number = try transaction.value(Int.self, for: name) ?? 0
            try transaction.set(number + 1, for: name)
            try require(try transaction.value(Int.self, for: name) == 43, "a transaction should read its own write")
        }
        try requireValue(43, at: name, in: store)
        do {
            _ = try store.value(Int.self, for: "typed.42")
            try require(false, "a string that is not numeric should not convert to a number")
        } catch let error as CoreError.NotFound {
            try require(error.reason != .absent, "a value that can't be converted should not be reported as absent")
        }
        guard store.holdsExactly(.data(Data())) else { return }
        let profile = ContractProfile(name: "Ann", scores: [1, 2.5])
        try store.set(profile, for: "profile")
        try require(
            try store.value(ContractProfile.self, for: "profile") == profile,
            "a Codable value should be read back unchanged"
        )
    }

    func invalidValuesAreRejected(_ store: any KeyValueStore) throws {
        try store.set(1, for: "kept")
        try requireRefusal(.unsupportedValue, of: "null at the top level", by: store) {
            try store.set(.null, for: "kept")
        }
        var value: StoredValue = 1
        for level in 0..<StoredValue.maximumDepth { value = level.isMultiple(of: 2) ? [value] : ["k": value] }
        if store.holdsExactly(value) {
            try store.set(value, for: "deep")
            try requireValue(value, at: "deep", in: store)
        }
        try requireRefusal(.unsupportedValue, of: "nesting beyond the limit", by: store) {
            try store.set([value], for: "deep")
        }
    }
}

extension KeyValueStore {
    /// Returns whether the store declares that it stores a value and all nested values exactly.
    func holdsExactly(_ value: StoredValue) -> Bool {
        // An unsigned number below 2⁶³ is stored like any other integer.
        if case .unsigned(let number) = value, number <= UInt64(Int64.max) { return true }
        guard capabilities.exactKinds.contains(value.kind) else { return false }
        return switch value {
        case .array(let elements): elements.allSatisfy(holdsExactly)
        case .dictionary(let entries): entries.allSatisfy { holdsExactly($0.value) }
        default: true
        }
    }
}

extension StoredValue {
    /// Whether the last number in this value is the canonical NaN, which has no sign and no payload.
    fileprivate var holdsCanonicalNaN: Bool {
        switch self {
        case .float(let number): number.bitPattern == Float.nan.bitPattern
        case .double(let number): number.bitPattern == Double.nan.bitPattern
        case .date(let date): date.timeIntervalSinceReferenceDate.bitPattern == Double.nan.bitPattern
        case .array(let elements): elements.last?.holdsCanonicalNaN == true
        case .dictionary(let entries): entries.last?.value.holdsCanonicalNaN == true
        default: false
        }
    }
}

private struct ContractProfile: Codable, Equatable {
    var name: String
    var scores: [Double]
}
