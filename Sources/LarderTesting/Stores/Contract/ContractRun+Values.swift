import Foundation
import LarderCore

extension ContractRun {
    func valuesComeBackExactly(_ store: any KeyValueStore) throws {
        let long = String(repeating: "é🙂x", count: 14_000)
        let values = StoredValueGenerator.edgeValues + [.string(long), .data(Data(repeating: 7, count: 100_000))]
        // In one commit, so that stores which write a whole file are not written two hundred times.
        var batch = StoreBatch()
        for (index, value) in values.enumerated() { batch.set(value, for: StoreKey("value.\(index)")) }
        _ = try store.commit(batch)
        for (index, value) in values.enumerated() { try requireValue(value, at: "value.\(index)", in: store) }
        for value in [.float(0.1), -0.0, .double(.nan), "e\u{301}", ["larder:type": "null"]] as [StoredValue] {
            try store.set(value, for: "single")
            try requireValue(value, at: "single", in: store)
        }
    }

    func randomValuesComeBackExactly(_ store: any KeyValueStore) throws {
        let seed: UInt64 = 20_260_101
        var generator = StoredValueGenerator(seed: seed)
        var expected = StoredDictionary()
        var batch = StoreBatch()
        for _ in 0..<200 {
            let key = generator.key()
            let value = generator.value()
            expected[key] = value
            batch.set(value, for: StoreKey(key))
        }
        _ = try store.commit(batch)
        try requireEntries(expected.map { ($0.key, $0.value) }, in: store)
        for entry in expected { try requireValue(entry.value, at: entry.key, in: store) }
    }

    func overwritingAndRemoving(_ store: any KeyValueStore) throws {
        try requireValue(nil, at: "a", in: store)
        try store.set(1, for: "a")
        try store.set("two", for: "a")
        try requireValue("two", at: "a", in: store)
        try require(try store.contains("a"), "a key that was set should be contained")
        try store.remove("a")
        try store.remove("a")
        try requireValue(nil, at: "a", in: store)
        try require(try !store.contains("a"), "a key that was removed should not be contained")
        try requireEntries([], in: store)
        try store.set(3, for: "a")
        try requireEntries([("a", 3)], in: store)
    }

    func valuesOutsideTheRulesAreRefused(_ store: any KeyValueStore) throws {
        try store.set(1, for: "kept")
        try requireRefusal(.unsupportedValue, of: "null at the top level", by: store) {
            try store.set(.null, for: "kept")
        }
        var value: StoredValue = 1
        for level in 0..<StoredValue.maximumDepth { value = level.isMultiple(of: 2) ? [value] : ["k": value] }
        try store.set(value, for: "deep")
        try requireValue(value, at: "deep", in: store)
        try requireRefusal(.unsupportedValue, of: "nesting beyond the limit", by: store) {
            try store.set([value], for: "deep")
        }
    }
}
