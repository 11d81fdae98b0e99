import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores

// Typical lines of user code. Each must compile with every store, in Swift 6 and in Swift 5 mode, and must type-check in less than 100 ms.
// `StoreLinesTests` and `Scripts/type-checking.sh` compile this file once for each store, with the store's name in place of "any
// KeyValueStore".

struct LineProfile: Codable, Equatable, Sendable {
    var name: String
    var age = 36
}

enum LineTheme: String, Codable { case light, dark }

func storeLines(_ store: any KeyValueStore) throws {
    let count = 3
    let ratio = 2.5
    let small: UInt8 = 7
    let short: Float = 0.1
    let isOn = !CommandLine.arguments.isEmpty
    let word = "word"
    let list = [1, 2]
    let table = ["a": 1]
    let moment = Date(timeIntervalSinceReferenceDate: 0)
    let bytes = Data([1, 2])
    let link = URL(filePath: "/tmp")
    let stored: StoredValue = .int(3)
    let storedList: [StoredValue] = [1, "a"]
    let storedTable: [String: StoredValue] = ["a": 1]
    let name = "name"
    let key = StoreKey("key")
    let i = 7
    let profile = LineProfile(name: "Ann")

    // Variables under strings and keys
    try store.set(count, for: name)
    try store.set(count, for: key)
    try store.set(ratio, for: name)
    try store.set(ratio, for: key)
    try store.set(small, for: name)
    try store.set(short, for: name)
    try store.set(isOn, for: name)
    try store.set(word, for: name)
    try store.set(list, for: name)
    try store.set(table, for: key)
    try store.set(moment, for: name)
    try store.set(bytes, for: key)
    try store.set(link, for: name)
    try store.set(stored, for: name)
    try store.set(stored, for: key)
    try store.set(storedList, for: name)
    try store.set(storedTable, for: key)

    // Literals
    try store.set(1, for: "integer")
    try store.set(-1, for: "negative")
    try store.set(2.5, for: "fraction")
    try store.set(2.5, for: name)
    try store.set(2.5, for: key)
    try store.set("a", for: "b")
    try store.set("a", for: key)
    try store.set(true, for: "Boolean")
    try store.set([1, 2], for: "integers")
    try store.set([1, 2.5], for: "fractions")
    try store.set([1, "a", [true]], for: "mixed")
    try store.set(["a": 1], for: "table")
    try store.set(["a": 1, "b": [2.5, "c"]], for: "mixed table")
    try store.set([], for: "empty list")
    try store.set([:], for: "empty table")
    try store.set(.int(42), for: "answer")
    try store.set(.url(link), for: key)
    try store.set(.array([1, "a"]), for: name)

    // Interpolations
    try store.set(2.5, for: "key-\(i)")
    try store.set(count, for: "key-\(i)")
    try store.set("value \(i)", for: "key-\(i)-\(count)")
    try store.set([1, 2], for: "list-\(i)")
    try store.set(.int(Int64(i)), for: "stored-\(i)")
    let madeKey: StoreKey = "key-\(i)"
    try store.set(count, for: madeKey)

    // Expressions
    try store.set(count + 1, for: "sum")
    try store.set(count * 2 + 1, for: "pre" + name)
    try store.set(ratio * 2 + Double(count) / 3, for: "pre" + name + "-\(i)")
    try store.set(isOn ? 1 : 2, for: isOn ? "a" : "b")
    try store.set(isOn ? .int(1) : .string("x"), for: name)
    try store.set(list.map { $0 + 1 }, for: "mapped")
    try store.set(list.reduce(0, +), for: "reduced")
    try store.set(moment.addingTimeInterval(60 * 60 * 24), for: "tomorrow")

    // Reading
    let n = try store.value(Int.self, for: "integer") ?? 0
    let inferred: Double? = try store.value(for: "fraction")
    let unwrapped: String = try store.value(for: "b") ?? "none"
    let atKey = try store.value([StoredValue].self, for: StoreKey("mixed"), policy: .strict)
    let any = try store.value(StoredValue.self, for: "mixed") ?? .null
    try store.set((store.value(Int.self, for: "integer") ?? 0) + 1, for: "integer")
    try store.set((store.value(Double.self, for: "key-\(i)") ?? 0) * 1.5 + 1, for: "key-\(i)")
    try store.set((try store.get("integer")) ?? 0, for: "copy")

    // Codable
    try store.set(profile, for: "profile")
    try store.set(profile, for: key)
    try store.set([profile], for: "profiles-\(i)")
    try store.set(["ann": profile], for: "profiles by name")
    try store.set(LineTheme.dark, for: "theme")
    let p = try store.value(LineProfile.self, for: "profile")
    let profiles: [LineProfile]? = try store.value(for: "profiles-\(i)")
    let theme = try store.value(LineTheme.self, for: "theme") ?? .light

    // Removing
    try store.remove(name)
    try store.remove(key)
    try store.remove("key-\(i)")
    _ = try store.contains("key-\(i)")

    // Batches
    var batch = StoreBatch()
    batch.set(count, for: name)
    batch.set(2.5, for: "key-\(i)")
    batch.set(stored, for: name)
    batch.set(.int(1), for: "answer")
    batch.set("a", for: key)
    batch.remove(name)
    _ = try store.commit(batch)

    // Transactions
    try store.transaction { t in try t.set((t.value(Int.self, for: "integer") ?? 0) + 1, for: "integer") }
    try store.transaction(attempts: 10) { transaction in
        try transaction.set(count, for: name)
        try transaction.set(count, for: key)
        try transaction.set(2.5, for: "key-\(i)")
        try transaction.set([1, "a"], for: key)
        try transaction.set(stored, for: name)
        try transaction.set(.int(1), for: "answer")
        try transaction.set(profile, for: "profile")
        try transaction.remove(name)
        let n = try transaction.value(Int.self, for: "integer") ?? 0
        let p = try transaction.value(LineProfile.self, for: "profile")
        let copy = try transaction.get("key-\(i)") ?? 0
        try transaction.set(n + (p?.age ?? 0), for: "sum")
        try transaction.set(copy, for: "copy")
    }
    try store.transaction(durability: .synced) { t in
        try t.set((t.value(Int.self, for: "integer") ?? 0) + 1, for: "integer")
    }
    try store.set(count, for: name, durability: .buffered)
    _ = (n, inferred, unwrapped, atKey, any, p, profiles, theme)
}

func suspendingStoreLines(_ store: any KeyValueStore) async throws {
    let name = "n"
    let i = 7
    try await store.transaction(durability: .synced) { t in try t.set((t.value(Int.self, for: "n") ?? 0) + 1, for: "n")
    }
    let n = try await store.transaction(durability: .synced) { transaction in
        let n = try transaction.value(Int.self, for: name) ?? 0
        try transaction.set(n + 1, for: name)
        return n + 1
    }
    try await store.set(n, for: name, durability: .synced)
    try await store.set(2.5, for: "key-\(i)", durability: .synced)
    try await store.set(.int(42), for: "answer", durability: .synced)
    try await store.set(LineProfile(name: "Ann"), for: "profile", durability: .synced)
    try store.set(n, for: name)
    try store.transaction { t in try t.set(n, for: "n") }
}

@MainActor final class StoreLinesModel {
    var count = 0

    func increment(_ store: any KeyValueStore) async throws {
        try await store.transaction(durability: .synced) { t in
            count = try (t.value(Int.self, for: "count") ?? 0) + 1
            try t.set(count, for: "count")
        }
    }
}
