import Foundation
import LarderCore
import LarderDataSources
import LarderDefaults
import LarderDeviceStorage
import LarderStores

/// What typed keys and data sources add to the bare store, and what the same costs on Foundation's `UserDefaults`.
struct FeatureWorkload {
    let folder: String
    private static let repetitions = 10_000

    func comparisons() throws -> [Comparison] {
        let store = MemoryStore()
        let adapter = DefaultsAdapter(defaults: StoreUserDefaults(store), keyStore: BenchmarkKeys())
        let source = DeviceStorageDataSource<Int>(store, prefix: "prefix-15-bytes")
        guard let suite = UserDefaults(suiteName: folder + "/features-suite") else { throw CocoaError(.fileNoSuchFile) }
        adapter[\.launchCount] = 1
        source.put(1, forId: "launchCount")
        suite.set(1, forKey: "launchCount")
        return [
            Comparison(
                operation: "read one Int",
                contenders: [
                    repeating("bare store") { _ in keep(try store.get("launchCount")) },
                    repeating("Defaults[\\.launchCount]") { _ in keep(adapter[\.launchCount]) },
                    repeating("DeviceStorageDataSource.get") { _ in keep(try source.get("launchCount").get()) },
                    repeating("UserDefaults") { _ in keep(suite.integer(forKey: "launchCount")) },
                ]
            ),
            Comparison(
                operation: "write one Int that changes",
                contenders: [
                    repeating("bare store") { try store.set(.int(Int64($0)), for: "bare") },
                    repeating("Defaults[\\.launchCount]") { adapter[\.launchCount] = $0 },
                    repeating("DeviceStorageDataSource.put") { source.put($0, forId: "launchCount") },
                    repeating("UserDefaults, not synchronized") { suite.set($0, forKey: "launchCount") },
                ]
            ),
        ]
    }

    private func repeating(_ name: String, _ body: @escaping (Int) throws -> Void) -> Comparison.Contender {
        .init(name: name, operations: Self.repetitions) { round in
            for repetition in 0..<Self.repetitions { try body(round &* Self.repetitions &+ repetition) }
        }
    }
}

private struct BenchmarkKeys: DefaultsKeyStore {
    var launchCount: DefaultsKey<Int> { DefaultsKey("launchCount", defaultValue: 0) }
}
