#if Objects
import Foundation
import GRDB
import LarderObjects

/// Measures the processor time of queries and writes in a shop with 100,000 orders, compared with hand-written GRDB code.
extension Area {
    static var fetchingPages: Row {
        .timed("fetch a page of 20 of 100,000 orders before a date, newest first", clock: .processor) { folder in
            let bench = try ShopBench(folder)
            try bench.fillSales()
            let (pages, size) = (200, 20)
            return [
                Contender("GRDB, hand-written", operations: pages) { _ in
                    for page in 0..<pages {
                        let end = Double(ShopBench.count - page * size) * 60
                        let sales = try bench.pool.read { database in
                            try HandSale.filter(Column("date") < end)
                                .order(Column("date").desc, Column("key"))
                                .limit(size)
                                .fetchAll(database)
                        }
                        keep(sales.reduce(0) { $0 + $1.value.title.utf8.count })
                    }
                },
                Contender("Larder, the view", operations: pages, goal: .timesFirst(1.5)) { _ in
                    for page in 0..<pages {
                        let end = Date(timeIntervalSinceReferenceDate: Double(ShopBench.count - page * size) * 60)
                        let request = ObjectRequest<BenchmarkSale>(
                            \.date < end,
                            sortedBy: [SortDescriptor(\.date, order: .reverse)],
                            limit: size
                        )
                        let sales = try bench.manager.viewStorage.objects(request)
                        keep(sales.reduce(0) { $0 + $1.title.utf8.count })
                    }
                },
            ]
        }
    }

    static var savingOne: Row {
        .timed("save one new order among 100,000, one transaction each", clock: .processor) { folder in
            let bench = try ShopBench(folder)
            try bench.fillSales()
            let saves = 200
            func number(_ round: Int, _ place: Int) -> Int { 1_000_000 + round * saves + place }
            return [
                Contender("GRDB, hand-written", operations: saves) { round in
                    for place in 0..<saves {
                        try bench.pool.write { database in
                            try HandSale(nil, OrderValue(number(round, place))).insert(database)
                        }
                    }
                },
                Contender("Larder", operations: saves, goal: .timesFirst(1.5)) { round in
                    for place in 0..<saves {
                        let value = OrderValue(number(round, place))
                        try bench.perform { try $0.insertNewObject(ofType: BenchmarkSale.self).update(with: value) }
                    }
                },
            ]
        }
    }

    static var changingOne: Row {
        .timed("find one of 100,000 orders by its number and change it, one transaction each", clock: .processor) {
            folder in
            let bench = try ShopBench(folder)
            try bench.fillSales()
            let saves = 200
            return [
                Contender("GRDB, hand-written", operations: saves) { round in
                    for place in 0..<saves {
                        try bench.pool.write { database in
                            let found = HandSale.filter(Column("number") == place * 499)
                            guard var sale = try found.fetchOne(database) else {
                                throw ObjectBenchmarkError.wrongResult
                            }
                            sale.value.total = Double(round)
                            try sale.update(database, columns: ["total"])
                        }
                    }
                },
                Contender("Larder", operations: saves, goal: .timesFirst(1.5)) { round in
                    for place in 0..<saves {
                        let number = Int64(place * 499)
                        try bench.perform { storage in
                            let found = try storage.firstObject(
                                ofType: BenchmarkSale.self,
                                matching: \.number == number
                            )
                            guard let sale = found else { throw ObjectBenchmarkError.wrongResult }
                            sale.total = Double(round)
                        }
                    }
                },
            ]
        }
    }

    static var upserting: Row {
        .timed("upsert 1,000 orders into 100,000, a tenth of them new", clock: .processor) { folder in
            let bench = try ShopBench(folder)
            try bench.fillSales()
            let count = 1_000
            @Sendable func values(_ round: Int) -> [OrderValue] {
                (0..<count).map { place in
                    var value = OrderValue(place % 10 == 0 ? 1_000_000 + round * count + place : place * 97)
                    value.total = Double(round)
                    value.status = "changed \(round)"
                    return value
                }
            }
            return [
                Contender("GRDB, hand-written, INSERT ... ON CONFLICT", operations: count) { round in
                    let values = values(round)
                    try bench.pool.write { database in
                        let statement = try database.cachedStatement(sql: HandSale.insertOrUpdate)
                        for value in values {
                            try statement.execute(arguments: HandSale.arguments(value))
                        }
                    }
                },
                Contender("Larder", operations: count, goal: .timesFirst(2)) { round in
                    let values = values(round)
                    try bench.perform { storage in
                        let result = try storage.upsert(values, by: \BenchmarkSale.number)
                        guard result.inserted.count == count / 10 else { throw ObjectBenchmarkError.wrongResult }
                    }
                },
                Contender("GRDB, hand-written, upsert", operations: count) { round in
                    let values = values(round)
                    try bench.pool.write { database in
                        for value in values { try HandSale(nil, value).upsert(database) }
                    }
                },
            ]
        }
    }

    static var upsertingOne: Row {
        .timed("upsert one order into 100,000, a tenth of them new, one transaction each", clock: .processor) {
            folder in
            let bench = try ShopBench(folder)
            try bench.fillSales()
            let saves = 200
            @Sendable func value(_ round: Int, _ place: Int) -> OrderValue {
                var value = OrderValue(place % 10 == 0 ? 1_000_000 + round * saves + place : place * 499)
                value.total = Double(round)
                value.status = "changed \(round)"
                return value
            }
            return [
                Contender("GRDB, hand-written, INSERT ... ON CONFLICT", operations: saves) { round in
                    for place in 0..<saves {
                        let value = value(round, place)
                        try bench.pool.write { database in
                            try database.cachedStatement(sql: HandSale.insertOrUpdate)
                                .execute(arguments: HandSale.arguments(value))
                        }
                    }
                },
                Contender("Larder", operations: saves, goal: .timesFirst(2)) { round in
                    for place in 0..<saves {
                        let value = value(round, place)
                        try bench.perform { storage in
                            let result = try storage.upsert([value], by: \BenchmarkSale.number)
                            guard result.inserted.count == (place % 10 == 0 ? 1 : 0) else {
                                throw ObjectBenchmarkError.wrongResult
                            }
                        }
                    }
                },
                Contender("GRDB, hand-written, upsert", operations: saves) { round in
                    for place in 0..<saves {
                        let value = value(round, place)
                        try bench.pool.write { try HandSale(nil, value).upsert($0) }
                    }
                },
            ]
        }
    }

    static var upsertingShown: Row {
        .timed("upsert 1,000 orders that are in the view into 100,000", clock: .processor) { folder in
            let bench = try ShopBench(folder)
            try bench.fillSales()
            let count = 1_000
            @Sendable func values(_ round: Int) -> [OrderValue] {
                (0..<count).map { place in
                    var value = OrderValue(place * 97)
                    value.total = Double(round)
                    value.status = "changed \(round)"
                    return value
                }
            }
            let numbers = (0..<count).map { Int64($0 * 97) }
            // The view's objects are retained, so that each save is merged into them.
            let shown = try bench.manager.viewStorage.allObjects(
                ofType: BenchmarkSale.self,
                matching: (\BenchmarkSale.number).in(numbers)
            )
            return [
                Contender("GRDB, hand-written, INSERT ... ON CONFLICT, and a fetch", operations: count) { round in
                    let values = values(round)
                    try bench.pool.write { database in
                        let statement = try database.cachedStatement(sql: HandSale.insertOrUpdate)
                        for value in values { try statement.execute(arguments: HandSale.arguments(value)) }
                    }
                    let found = try bench.pool.read { database in
                        try HandSale.filter(numbers.contains(Column("number"))).fetchAll(database)
                    }
                    guard found.count == count else { throw ObjectBenchmarkError.wrongResult }
                },
                Contender("Larder, merged into the view", operations: count, goal: .timesFirst(2)) { round in
                    let values = values(round)
                    try bench.perform { storage in
                        let result = try storage.upsert(values, by: \BenchmarkSale.number)
                        guard result.inserted.isEmpty else { throw ObjectBenchmarkError.wrongResult }
                    }
                    keep(shown.count)
                },
            ]
        }
    }

    static var sortingByRelated: Row {
        .timed("fetch 100,000 parcels sorted by the name of their buyer", rounds: 5, clock: .processor) { folder in
            let bench = try ShopBench(folder)
            try bench.fillParcels()
            let sql = """
                SELECT parcel.* FROM parcel LEFT JOIN buyer ON buyer.key = parcel.buyer
                ORDER BY buyer.name, parcel.key
                """
            let sort: @Sendable () -> [SortDescriptor<BenchmarkParcel>] = { [SortDescriptor(\.buyer?.name)] }
            return [
                Contender("GRDB, hand-written", operations: ShopBench.count) { _ in
                    keep(try bench.pool.read { try HandParcel.fetchAll($0, sql: sql).count })
                },
                Contender("Larder, objects not yet in the view", operations: ShopBench.count, goal: .timesFirst(1.5)) {
                    _ in
                    try bench.perform { storage in
                        keep(try storage.allObjects(ofType: BenchmarkParcel.self, sortedBy: sort()).count)
                    }
                },
                Contender("Larder, objects already in the view", operations: ShopBench.count) { _ in
                    keep(try bench.manager.viewStorage.allObjects(ofType: BenchmarkParcel.self, sortedBy: sort()).count)
                },
            ]
        }
    }

    static var sortingAPageByRelated: Row {
        .timed("fetch the first 20 of 100,000 parcels by the name of their buyer", rounds: 5, clock: .processor) {
            folder in
            let bench = try ShopBench(folder)
            try bench.fillParcels()
            let sql = """
                SELECT parcel.* FROM parcel LEFT JOIN buyer ON buyer.key = parcel.buyer
                ORDER BY buyer.name, parcel.key LIMIT 20
                """
            return [
                Contender("GRDB, hand-written", operations: 1) { _ in
                    keep(try bench.pool.read { try HandParcel.fetchAll($0, sql: sql).count })
                },
                Contender("Larder, the view", operations: 1, goal: .timesFirst(1.5)) { _ in
                    let sort = [SortDescriptor(\BenchmarkParcel.buyer?.name)]
                    let request = ObjectRequest<BenchmarkParcel>(sortedBy: sort, limit: 20)
                    keep(try bench.manager.viewStorage.objects(request).count)
                },
            ]
        }
    }

    static var searching: Row {
        .timed("find 1,111 of 100,000 titles by a case-insensitive substring", clock: .processor) { folder in
            let bench = try ShopBench(folder)
            try bench.fillArticles()
            // 77, 770 to 779, 7,700 to 7,799 and 77,000 to 77,999.
            let (part, count) = ("NUMBER 77", 1_111)
            return [
                Contender("GRDB, hand-written, LIKE", operations: 1) { _ in
                    let found = try bench.pool.read { database in
                        try HandArticle.fetchAll(
                            database,
                            sql: "SELECT * FROM article WHERE title LIKE ?",
                            arguments: ["%\(part)%"]
                        )
                    }
                    guard found.count == count else { throw ObjectBenchmarkError.wrongResult }
                },
                Contender("Larder, the view", operations: 1, goal: .timesFirst(2)) { _ in
                    let found = try bench.manager.viewStorage.allObjects(
                        ofType: BenchmarkArticle.self,
                        matching: (\BenchmarkArticle.title).containsIgnoringCaseAndAccents(part)
                    )
                    guard found.count == count else { throw ObjectBenchmarkError.wrongResult }
                },
            ]
        }
    }

    static var findingByRelated: Row {
        .timed("find 100 of 100,000 parcels by the indexed name of their buyer", clock: .processor) {
            folder in
            let bench = try ShopBench(folder)
            try bench.fillParcels()
            let sql = """
                SELECT parcel.* FROM parcel JOIN buyer ON buyer.key = parcel.buyer WHERE buyer.name = ?
                ORDER BY parcel.key
                """
            return [
                Contender("GRDB, hand-written", operations: 20) { _ in
                    for number in 0..<20 {
                        let name = ShopBench.name(number)
                        let found = try bench.pool.read { try HandParcel.fetchAll($0, sql: sql, arguments: [name]) }
                        guard found.count == 100 else { throw ObjectBenchmarkError.wrongResult }
                    }
                },
                Contender("Larder, the view", operations: 20, goal: .timesFirst(1.5)) { _ in
                    for number in 0..<20 {
                        let found = try bench.manager.viewStorage.allObjects(
                            ofType: BenchmarkParcel.self,
                            matching: \.buyer?.name == ShopBench.name(number)
                        )
                        guard found.count == 100 else { throw ObjectBenchmarkError.wrongResult }
                    }
                },
            ]
        }
    }
}
#endif
