import Foundation
import LarderCore
import LarderDeviceStorage
import LarderStores
import Synchronization

/// Reading and writing integers by text key, beside a dictionary behind a lock and Foundation's `UserDefaults`.
struct KeyValueWorkload {
    let keys: Keys
    let folder: String

    func comparisons() throws -> [Comparison] {
        let memory = MemoryStore()
        let list = try PropertyListStore(path: folder + "/reads.plist")
        let dictionary = Mutex([String: Int]())
        // A path as the suite's name puts its file there.
        guard let suite = UserDefaults(suiteName: folder + "/reads-suite") else { throw CocoaError(.fileNoSuchFile) }
        try list.transaction { transaction in
            for (index, key) in keys.all.enumerated() { try transaction.set(.int(Int64(index)), for: StoreKey(key)) }
        }
        for (index, key) in keys.all.enumerated() {
            try memory.set(.int(Int64(index)), for: key)
            dictionary.withLock { $0[key] = index }
        }
        for (index, key) in keys.all.prefix(Self.suiteSize).enumerated() { suite.set(index, forKey: key) }
        suite.synchronize()

        return [
            Comparison(
                operation: "get an Int by String key, \(keys.all.count) keys",
                contenders: [
                    .init(name: "Dictionary behind a Mutex", operations: keys.all.count) { _ in
                        for key in keys.shuffled { keep(dictionary.withLock { $0[key] }) }
                    },
                    reading(memory, named: "MemoryStore"),
                    reading(list, named: "PropertyListStore"),
                    .init(name: "UserDefaults, \(Self.suiteSize) keys", operations: keys.all.count) { _ in
                        for key in keys.shuffled { keep(suite.integer(forKey: key)) }
                    },
                ]
            ),
            Comparison(
                operation: "put an Int that changes, buffered",
                contenders: [
                    .init(name: "Dictionary behind a Mutex", operations: keys.all.count) { round in
                        for key in keys.shuffled { dictionary.withLock { $0[key] = round } }
                    },
                    writing(memory, named: "MemoryStore", keys: keys.shuffled),
                ]
            ),
            try wholeFileComparison(),
        ]
    }

    /// How many keys the contenders hold that write a whole file at each put.
    private static let suiteSize = 1_000

    private func wholeFileComparison() throws -> Comparison {
        let list = try PropertyListStore(path: folder + "/writes.plist")
        guard let suite = UserDefaults(suiteName: folder + "/writes-suite") else { throw CocoaError(.fileNoSuchFile) }
        let held = Array(keys.all.prefix(Self.suiteSize))
        try list.transaction { transaction in
            for key in held { try transaction.set(0, for: StoreKey(key)) }
        }
        for key in held { suite.set(0, forKey: key) }
        suite.synchronize()
        let written = Array(held.prefix(10))
        return Comparison(
            operation: "put an Int so that it survives kill -9, \(Self.suiteSize) keys",
            contenders: [
                .init(name: "UserDefaults set + synchronize", operations: written.count) { round in
                    for key in written {
                        suite.set(round, forKey: key)
                        suite.synchronize()
                    }
                },
                writing(list, named: "PropertyListStore (atomic, synced)", keys: written),
            ]
        )
    }

    private func reading(_ store: some KeyValueStore, named name: String) -> Comparison.Contender {
        .init(name: name, operations: keys.all.count) { _ in
            for key in keys.shuffled { keep(try store.get(key)) }
        }
    }

    private func writing(_ store: some KeyValueStore, named name: String, keys: [String]) -> Comparison.Contender {
        .init(name: name, operations: keys.count) { round in
            for key in keys { try store.set(.int(Int64(round)), for: key) }
        }
    }
}
