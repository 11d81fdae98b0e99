import Foundation
import LarderCore
import LarderDataSources
import LarderDefaults
import LarderDeviceStorage
import LarderStores

extension Area {
    /// Measures typed keys and data sources compared with direct use of the store and with Foundation's `UserDefaults`.
    static var features: Area { Area(name: "features", rows: [reading, writing]) }

    private static let repetitions = 10_000

    private static var reading: Row {
        .timed("read one Int") { folder in
            let contenders = try Contenders(folder)
            return [
                repeating("bare store") { _ in keep(try contenders.store.get("launchCount")) },
                repeating("Defaults[\\.launchCount]") { _ in keep(contenders.adapter[\.launchCount]) },
                repeating("DeviceStorageDataSource.get") { _ in keep(try contenders.source.get("launchCount").get()) },
                repeating("UserDefaults") { _ in keep(contenders.defaults.get("launchCount")) },
            ]
        }
    }

    private static var writing: Row {
        .timed("write a changed Int", rounds: 31) { folder in
            let contenders = try Contenders(folder)
            return [
                repeating("bare store") { try contenders.store.set(.int(Int64($0)), for: "bare") },
                repeating("Defaults[\\.launchCount]", .aboveFirst(60)) { contenders.adapter[\.launchCount] = $0 },
                repeating("DeviceStorageDataSource.put") { contenders.source.put($0, forId: "launchCount") },
                repeating("UserDefaults, not synchronized") { contenders.defaults.put($0, "launchCount") },
            ]
        }
    }

    private struct Contenders {
        let store = MemoryStore()
        let adapter: DefaultsAdapter<BenchmarkKeys>
        let source: DeviceStorageDataSource<Int>
        let defaults: UserDefaultsPeer

        init(_ folder: String) throws {
            adapter = DefaultsAdapter(defaults: UserDefaultsFacade(store), keyStore: BenchmarkKeys())
            source = DeviceStorageDataSource<Int>(store, prefix: "prefix-15-bytes")
            defaults = try UserDefaultsPeer(folder + "/suite", ["launchCount"])
            adapter[\.launchCount] = 1
            source.put(1, forId: "launchCount")
        }
    }

    private static func repeating(
        _ name: String,
        _ goal: Goal? = nil,
        _ body: @escaping (Int) throws -> Void
    ) -> Contender {
        Contender(name, operations: repetitions, goal: goal) { round in
            for repetition in 0..<repetitions { try body(round &* repetitions &+ repetition) }
        }
    }
}

private struct BenchmarkKeys: DefaultsKeyStore {
    var launchCount: DefaultsKey<Int> { DefaultsKey("launchCount", defaultValue: 0) }
}
