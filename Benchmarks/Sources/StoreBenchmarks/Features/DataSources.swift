import CAllocations
import Foundation
import LarderCore
import LarderDataSources
import LarderDeviceStore

extension Area {
    /// Measures the overhead of a data source, and of a mapper over it, compared with direct use of the store.
    static var dataSources: Area { Area(name: "dataSources", rows: [getting, putting, manyPuts, allocations]) }

    /// A prefix that is 15 bytes long with the dot, for keys of 16 bytes.
    private static let prefix = "fourteen-bytes"
    private static let repetitions = 10_000
    private static let keys = Keys(1_000)

    private struct Sources {
        let store: DeviceStore
        let source: DeviceStorageDataSource<Int>
        /// A mapped source that adds one to each value.
        let mapped: DataSourceMapper<Int, Int>

        init(_ folder: String) throws {
            store = try DeviceStore(path: folder + "/sources.larder")
            source = DeviceStorageDataSource<Int>(store, prefix: Area.prefix)
            mapped = DataSourceMapper(
                dataSource: source,
                toInMapper: ClosureMapper { $0 &+ 1 },
                toOutMapper: ClosureMapper { $0 &- 1 }
            )
            for key in keys.all { try source.put(1, in: KeyQuery(key)).get() }
        }
    }

    private static var getting: Row {
        .timed("get an Int as a settled future, 16-byte keys with a 15-byte prefix") { folder in
            let sources = try Sources(folder)
            let (store, source, mapped) = (sources.store, sources.source, sources.mapped)
            return [
                each("bare store") { key, _ in keep(try store.get(StoreKey(key, prefix: "fourteen-bytes."))) },
                each("DeviceStorageDataSource<Int>", goal: .aboveFirst(60)) { key, _ in
                    keep(try source.get(KeyQuery(key)).get())
                },
                each("the same through DataSourceMapper", goal: .aboveFirst(110)) { key, _ in
                    keep(try mapped.get(KeyQuery(key)).get())
                },
            ]
        }
    }

    private static var putting: Row {
        .timed("put a changed Int as a settled future, 16-byte keys with a 15-byte prefix", rounds: 301) { folder in
            let sources = try Sources(folder)
            let (store, source, mapped) = (sources.store, sources.source, sources.mapped)
            return [
                each("bare store", times: keys.all.count) { key, number in
                    try store.set(.int(Int64(number)), for: StoreKey(key, prefix: "fourteen-bytes."))
                },
                each("DeviceStorageDataSource<Int>", goal: .aboveFirst(60), times: keys.all.count) { key, number in
                    try source.put(number, in: KeyQuery(key)).get()
                },
                each("the same through DataSourceMapper", goal: .aboveFirst(110), times: keys.all.count) {
                    key,
                    number in
                    try mapped.put(number, in: KeyQuery(key)).get()
                },
            ]
        }
    }

    /// Measures puts compared with Harmony's device storage, which calls `set` and `synchronize` for every put.
    private static var manyPuts: Row {
        .timed("1,000 puts with a prefix, time for all", rounds: 3) { folder in
            let store = try DeviceStore(path: folder + "/many.larder")
            let source = DeviceStorageDataSource<Int>(store, prefix: prefix)
            let (plain, synchronized) = (
                try UserDefaultsPeer(folder + "/plain"), try UserDefaultsPeer(folder + "/synchronized")
            )
            return [
                Contender("DeviceStorageDataSource<Int>", operations: 1) { round in
                    for key in keys.all { try source.put(round, in: KeyQuery(key)).get() }
                },
                Contender("UserDefaults, not synchronized", operations: 1) { round in
                    for key in keys.all { plain.put(round, prefix + "." + key) }
                },
                Contender("UserDefaults set + synchronize", operations: 1) { round in
                    for key in keys.all {
                        synchronized.put(round, prefix + "." + key)
                        synchronized.synchronize()
                    }
                },
            ]
        }
    }

    private static var allocations: Row {
        Row("allocations of one operation") { folder in
            guard allocations_can_be_counted() == 1 else { return [] }
            let sources = try Sources(folder)
            let (store, source, mapped) = (sources.store, sources.source, sources.mapped)
            let key = keys.all[0]
            return [
                counted("creating an array of one element") { keep([Int](repeating: $0, count: 1)) },
                try counted("get from the bare store", goal: .atMost(0)) { _ in
                    keep(try store.get(StoreKey(key, prefix: "fourteen-bytes.")))
                },
                try counted("settled get through DeviceStorageDataSource<Int>", goal: .atMost(0)) { _ in
                    keep(try source.get(KeyQuery(key)).get())
                },
                try counted("settled get through DataSourceMapper") { _ in
                    keep(try mapped.get(KeyQuery(key)).get())
                },
                try counted("put into the bare store") {
                    try store.set(.int(Int64($0)), for: StoreKey(key, prefix: "fourteen-bytes."))
                },
                try counted("settled put through DeviceStorageDataSource<Int>") {
                    try source.put($0, in: KeyQuery(key)).get()
                },
            ]
        }
    }

    private static func counted(_ name: String, goal: Goal? = nil, _ body: (Int) throws -> Void) rethrows -> Figure {
        // These calls make one-time allocations, such as the runtime's caches, before the count begins.
        for number in 0..<100 { try body(-number) }
        allocations_begin()
        for number in 0..<repetitions { try body(number) }
        return Figure(name, Double(allocations_count()) / Double(repetitions), .allocations, goal: goal)
    }

    private static func each(
        _ name: String,
        goal: Goal? = nil,
        times repetitions: Int = repetitions,
        _ body: @escaping (_ key: String, _ number: Int) throws -> Void
    ) -> Contender {
        Contender(name, operations: repetitions, goal: goal) { round in
            for repetition in 0..<repetitions / keys.all.count {
                for key in keys.shuffled { try body(key, round &* repetitions &+ repetition) }
            }
        }
    }
}
