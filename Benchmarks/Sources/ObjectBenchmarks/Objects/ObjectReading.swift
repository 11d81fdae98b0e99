#if Objects
import Foundation
import GRDB
import LarderObjects

/// Measures fetching objects and structs, and the memory that they use.
extension Area {
    static var fetchingObjects: Row {
        .timed("fetch 100,000 objects of 8 columns", rounds: 5) { folder in
            let bench = try ObjectBench(folder, rows: objectCount)
            return [
                Contender("GRDB, hand-written", operations: objectCount) { _ in
                    keep(try bench.pool.read { try HandRecord.order(sql: "key").fetchAll($0).count })
                },
                Contender("Larder, objects not yet in the view", operations: objectCount, goal: .timesFirst(1.2)) { _ in
                    try bench.perform { keep(try $0.allObjects(ofType: BenchmarkOrder.self).count) }
                },
                Contender("Larder, objects already in the view", operations: objectCount) { _ in
                    keep(try bench.manager.viewStorage.allObjects(ofType: BenchmarkOrder.self).count)
                },
                Contender("GRDB Codable", operations: objectCount) { _ in
                    keep(try bench.pool.read { try CodableRecord.order(sql: "key").fetchAll($0).count })
                },
            ]
        }
    }

    static var fetchingAndReading: Row {
        .timed("fetch 100,000 objects and read three properties of each", rounds: 5) { folder in
            let bench = try ObjectBench(folder, rows: objectCount)
            return [
                Contender("GRDB, hand-written", operations: objectCount) { _ in
                    var sum = 0
                    for record in try bench.pool.read({ try HandRecord.order(sql: "key").fetchAll($0) }) {
                        sum += Int(record.value.number) + record.value.title.utf8.count + Int(record.value.total)
                    }
                    keep(sum)
                },
                Contender("Larder", operations: objectCount) { _ in
                    try bench.perform { storage in
                        var sum = 0
                        for order in try storage.allObjects(ofType: BenchmarkOrder.self) {
                            sum += Int(order.number) + order.title.utf8.count + Int(order.total)
                        }
                        keep(sum)
                    }
                },
            ]
        }
    }

    static var fetchingValues: Row {
        .timed("fetch 100,000 structs of 8 columns", rounds: 5) { folder in
            let bench = try ObjectBench(folder, rows: objectCount)
            return [
                Contender("SQLite in C", operations: objectCount) { _ in try bench.c.fetch() },
                Contender("Larder, fetchValues", operations: objectCount, goal: .timesFirst(1.3)) { _ in
                    keep(try bench.wait { try await $0.fetchValues(ObjectRequest<BenchmarkOrder>()).count })
                },
                Contender("GRDB, hand-written", operations: objectCount) { _ in
                    keep(try bench.pool.read { try HandRecord.order(sql: "key").fetchAll($0).count })
                },
                Contender("GRDB Codable", operations: objectCount) { _ in
                    keep(try bench.pool.read { try CodableRecord.order(sql: "key").fetchAll($0).count })
                },
            ]
        }
    }

    static var walkingRelationships: Row {
        Row("queries to traverse a to-many relationship of 1,000 objects") { folder in
            let bench = try ObjectBench(folder)
            try bench.perform { storage in
                for number in 0..<1_000 {
                    let owner = try storage.insertNewObject(ofType: BenchmarkOwner.self)
                    owner.name = "owner \(number)"
                    for _ in 0..<3 { owner.addToItems(try storage.insertNewObject(ofType: BenchmarkItem.self)) }
                }
            }
            var count = 0
            let queries = try bench.manager.queries.recording {
                for owner in try bench.manager.viewStorage.allObjects(ofType: BenchmarkOwner.self) {
                    count += owner.items.count
                }
            }
            guard count == 3_000 else { throw ObjectBenchmarkError.wrongResult }
            return [Figure("Larder", Double(queries.count), .queries, goal: .atMost(2))]
        }
    }

    static var memoryOfAnObject: Row {
        Row("memory of one fetched object of 8 columns, 100,000 objects") { folder in
            let bench = try ObjectBench(folder, rows: objectCount)
            // Fills the caches of the connections before the measurement.
            keep(try bench.wait { try await $0.fetchValues(ObjectRequest<BenchmarkOrder>()).count })
            // This read takes longer than the task above needs to free its values.
            keep(try bench.pool.read { try HandRecord.order(sql: "key").fetchAll($0).count })
            var records: [HandRecord] = []
            let hand = try HeapUse.growth {
                records = try bench.pool.read { try HandRecord.order(sql: "key").fetchAll($0) }
            }
            var objects: [BenchmarkOrder] = []
            let own = try HeapUse.growth {
                objects = try bench.manager.viewStorage.allObjects(ofType: BenchmarkOrder.self)
            }
            guard records.count == objectCount, objects.count == objectCount else {
                throw ObjectBenchmarkError.wrongResult
            }
            return [
                Figure("GRDB, hand-written", hand / Double(objectCount), .bytes),
                Figure("Larder", own / Double(objectCount), .bytes, goal: .timesFirst(1.5)),
            ]
        }
    }
}
#endif
