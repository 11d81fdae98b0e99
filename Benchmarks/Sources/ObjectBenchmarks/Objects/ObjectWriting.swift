#if Objects
import GRDB
import LarderObjects
import Synchronization

/// Measures inserting, changing and syncing objects.
extension Area {
    static let objectCount = 100_000

    static var insertingObjects: Row {
        .timed("insert 100,000 objects of 8 columns in one performAndSave", rounds: 5) { folder in
            let bench = try ObjectBench(folder, rows: objectCount, filled: false)
            let clear = { try bench.pool.write { try $0.execute(sql: "DELETE FROM entry") } }
            return [
                Contender("SQLite in C", operations: objectCount, prepare: { try bench.c.clear() }) { _ in
                    try bench.c.insert()
                },
                Contender(
                    "Larder",
                    operations: objectCount,
                    goal: .timesFirst(2),
                    prepare: {
                        try bench.wait { try await $0.write { try $0.execute(sql: "DELETE FROM BenchmarkOrder") } }
                    }
                ) { _ in try bench.insert() },
                Contender("GRDB, hand-written", operations: objectCount, prepare: clear) { _ in
                    try bench.pool.write { database in
                        for number in bench.values.indices { try HandRecord(number, bench.values).insert(database) }
                    }
                },
                Contender("GRDB Codable", operations: objectCount, prepare: clear) { _ in
                    try bench.pool.write { database in
                        for number in bench.values.indices { try CodableRecord(number, bench.values).insert(database) }
                    }
                },
            ]
        }
    }

    static var updatingObjects: Row {
        .timed("change one column of 10,000 objects and save", rounds: 5) { folder in
            let count = 10_000
            let bench = try ObjectBench(folder, rows: count)
            let work = HeldWork(bench)
            let value = Mutex<Int64>(0)
            return [
                Contender("SQLite in C, by key", operations: count) { try bench.c.update(count, to: $0) },
                Contender(
                    "Larder",
                    operations: count,
                    goal: .timesFirst(1.5),
                    prepare: {
                        let next = value.withLock { value in
                            value -= 1
                            return value
                        }
                        work.fetch { orders in for order in orders { order.site = next } }
                    }
                ) { _ in try work.finish() },
                Contender("Larder, with the fetch", operations: count) { round in
                    try bench.perform { storage in
                        for order in try storage.allObjects(ofType: BenchmarkOrder.self) { order.site = Int64(round) }
                    }
                },
                Contender("Larder, batchUpdate", operations: count) { round in
                    try bench.perform { storage in
                        let setting = [PropertyAssignment<BenchmarkOrder>.set(\.site, to: Int64(round + 1_000))]
                        _ = try storage.batchUpdate(ofType: BenchmarkOrder.self, set: setting)
                    }
                },
                Contender("GRDB, hand-written, updateChanges", operations: count) { round in
                    try bench.pool.write { database in
                        for var record in try HandRecord.order(sql: "key").fetchAll(database) {
                            try record.updateChanges(database) { $0.value.site = Int64(round) }
                        }
                    }
                },
            ]
        }
    }

    static var syncingObjects: Row {
        let count = 20_000
        return .timed("sync 20,000 unchanged structs", rounds: 5) { folder in
            let bench = try ObjectBench(folder, rows: count)
            return [
                Contender("SQLite in C, reading them", operations: count) { _ in try bench.c.fetch() },
                Contender("Larder", operations: count, goal: .timesFirst(3)) { _ in
                    try bench.perform { storage in
                        let result = try storage.sync(bench.values, by: \BenchmarkOrder.number)
                        guard result.unchanged == count, !storage.hasChanges else {
                            throw ObjectBenchmarkError.wrongResult
                        }
                    }
                },
            ]
        }
    }

    /// A row that shows how many rows a sync of unchanged structs writes, as counted by SQLite.
    static var rowsWrittenBySync: Row {
        Row("rows written by a sync of 20,000 unchanged structs") { folder in
            let bench = try ObjectBench(folder, rows: 20_000)
            let before = try bench.wait { try await $0.write(\.totalChangesCount) }
            try bench.perform { _ = try $0.sync(bench.values, by: \BenchmarkOrder.number) }
            let after = try bench.wait { try await $0.write(\.totalChangesCount) }
            return [Figure("Larder", Double(after - before), .rows, goal: .atMost(0))]
        }
    }
}
#endif
