import CAllocations
import Foundation
import LarderCore
import LarderDataSources
import LarderDeviceStore

extension Area {
    /// What a data source, and a mapper over it, add to the bare store.
    static var dataSources: Area { Area(name: "dataSources", rows: [getting, putting, manyPuts, allocations]) }

    /// 15 bytes with the dot; the keys have 16.
    private static let prefix = "fourteen-bytes"
    private static let repetitions = 10_000
    private static let keys = Keys(1_000)

    private struct Sources {
        let store: DeviceStore
        let source: DeviceStorageDataSource<Int>
        /// Its own work is to add one.
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
        .timed("get an Int, settled, 16-byte keys behind 15 bytes") { folder in
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
        .timed("put an Int that changes, settled, 16-byte keys behind 15 bytes", rounds: 301) { folder in
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

    /// The original's device storage: every put is `set` and `synchronize`.
    private static var manyPuts: Row {
        .timed("1,000 puts behind a prefix, one run each", rounds: 3) { folder in
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
                counted("an array of one element, which allocates") { keep([Int](repeating: $0, count: 1)) },
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
        // What is made once, such as caches of the runtime, is no cost of an operation.
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
