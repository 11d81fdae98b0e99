#if Objects
import Foundation
import GRDB
import LarderObjects

/// An order whose entity has indexes for the measured queries.
@Entity(bridges: OrderValue.self) final class BenchmarkSale {
    var site: Int64 = 0
    @Attribute(.unique) var number: Int64 = 0
    var status: String = ""
    var title: String = ""
    var note: String?
    var total: Double = 0
    @Attribute(.indexed) var date: Date = Date(timeIntervalSinceReferenceDate: 0)
    var isPaid: Bool = false
}

@Entity final class BenchmarkBuyer {
    @Attribute(.indexed) var name: String = ""
    @Relationship(inverse: \BenchmarkParcel.buyer) var parcels: [BenchmarkParcel]
}

@Entity final class BenchmarkParcel {
    var number: Int64 = 0
    var title: String = ""
    var total: Double = 0
    @Relationship var buyer: BenchmarkBuyer?
}

@Entity final class BenchmarkArticle {
    @Attribute(.searchable) var title: String = ""
    var number: Int64 = 0
}

/// Databases for Larder and for GRDB, with the same tables and rows.
final class ShopBench: Sendable {
    static let count = 100_000
    static let model = ObjectModel([
        BenchmarkSale.self, BenchmarkBuyer.self, BenchmarkParcel.self, BenchmarkArticle.self,
    ])

    let manager: SQLiteStorageManager
    let pool: DatabasePool
    private let queue = DispatchQueue(label: "view")

    init(_ folder: String) throws {
        manager = try SQLiteStorageManager(
            model: Self.model,
            url: URL(fileURLWithPath: folder + "/objects.sqlite"),
            configuration: .init(viewQueue: queue)
        )
        pool = try DatabasePool(path: folder + "/grdb.sqlite")
    }

    /// Runs `body` in `performAndSave` and waits until it is saved.
    func perform(_ body: @escaping @Sendable (any WritableStorageType) throws -> Void) throws {
        let result = Outcome<Void>()
        manager.performAndSave(body, completion: { result.set($0) }, on: queue)
        try result.get()
    }

    func fillSales() throws {
        try perform { storage in
            for number in 0..<Self.count {
                try storage.insertNewObject(ofType: BenchmarkSale.self).update(with: OrderValue(number))
            }
        }
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE sale (key INTEGER PRIMARY KEY, site INTEGER, number INTEGER, status TEXT, title TEXT,
                        note TEXT, total REAL, date REAL, isPaid INTEGER) STRICT;
                    CREATE UNIQUE INDEX sale_number ON sale (number);
                    CREATE INDEX sale_date ON sale (date);
                    """
            )
            for number in 0..<Self.count { try HandSale(Int64(number) + 1, OrderValue(number)).insert(database) }
        }
    }

    func fillParcels() throws {
        try perform { storage in
            let buyers = try (0..<1_000).map { number in
                let buyer = try storage.insertNewObject(ofType: BenchmarkBuyer.self)
                buyer.name = Self.name(number)
                return buyer
            }
            for number in 0..<Self.count {
                let parcel = try storage.insertNewObject(ofType: BenchmarkParcel.self)
                parcel.number = Int64(number)
                parcel.title = "Parcel number \(number)"
                parcel.total = Double(number) / 4
                parcel.buyer = buyers[number % 1_000]
            }
        }
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE buyer (key INTEGER PRIMARY KEY, name TEXT) STRICT;
                    CREATE INDEX buyer_name ON buyer (name);
                    CREATE TABLE parcel (key INTEGER PRIMARY KEY, number INTEGER, title TEXT, total REAL,
                        buyer INTEGER REFERENCES buyer) STRICT;
                    CREATE INDEX parcel_buyer ON parcel (buyer);
                    """
            )
            for number in 0..<1_000 {
                try database.execute(sql: "INSERT INTO buyer VALUES (?, ?)", arguments: [number, Self.name(number)])
            }
            for number in 0..<Self.count { try HandParcel(number).insert(database) }
        }
    }

    func fillArticles() throws {
        try perform { storage in
            for number in 0..<Self.count {
                let article = try storage.insertNewObject(ofType: BenchmarkArticle.self)
                article.title = "Order number \(number)"
                article.number = Int64(number)
            }
        }
        try pool.write { database in
            try database.execute(
                sql: "CREATE TABLE article (key INTEGER PRIMARY KEY, title TEXT, number INTEGER) STRICT"
            )
            for number in 0..<Self.count {
                try database.execute(
                    sql: "INSERT INTO article VALUES (?, ?, ?)",
                    arguments: [number + 1, "Order number \(number)", number]
                )
            }
        }
    }

    /// Returns the name of the buyer with a number.
    ///
    /// Names sort in a different order than numbers.
    static func name(_ number: Int) -> String { "buyer \((number * 7_919) % 1_000)" }
}

/// A hand-written GRDB record for an order.
struct HandSale: FetchableRecord, PersistableRecord {
    static let databaseTableName = "sale"
    static let insertOrUpdate = """
        INSERT INTO sale (site, number, status, title, note, total, date, isPaid) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (number) DO UPDATE SET site = excluded.site, status = excluded.status, title = excluded.title,
            note = excluded.note, total = excluded.total, date = excluded.date, isPaid = excluded.isPaid
        """
    /// Returns the arguments for the statement ``insertOrUpdate``.
    static func arguments(_ value: OrderValue) -> StatementArguments {
        [
            value.site, value.number, value.status, value.title, value.note, value.total,
            value.date.timeIntervalSinceReferenceDate, value.isPaid,
        ]
    }

    var key: Int64?
    var value: OrderValue

    init(_ key: Int64?, _ value: OrderValue) {
        self.key = key
        self.value = value
    }

    init(row: GRDB.Row) throws {
        key = row[0]
        value = OrderValue(
            site: row[1],
            number: row[2],
            status: row[3],
            title: row[4],
            note: row[5],
            total: row[6],
            date: Date(timeIntervalSinceReferenceDate: row[7]),
            isPaid: row[8]
        )
    }

    func encode(to container: inout PersistenceContainer) throws {
        container["key"] = key
        container["site"] = value.site
        container["number"] = value.number
        container["status"] = value.status
        container["title"] = value.title
        container["note"] = value.note
        container["total"] = value.total
        container["date"] = value.date.timeIntervalSinceReferenceDate
        container["isPaid"] = value.isPaid
    }
}

/// A hand-written GRDB record for a parcel.
struct HandParcel: FetchableRecord, PersistableRecord {
    static let databaseTableName = "parcel"
    var key: Int64
    var number: Int64
    var title: String
    var total: Double
    var buyer: Int64?

    init(_ number: Int) {
        key = Int64(number) + 1
        self.number = Int64(number)
        title = "Parcel number \(number)"
        total = Double(number) / 4
        buyer = Int64(number % 1_000)
    }

    init(row: GRDB.Row) throws {
        key = row[0]
        number = row[1]
        title = row[2]
        total = row[3]
        buyer = row[4]
    }

    func encode(to container: inout PersistenceContainer) throws {
        container["key"] = key
        container["number"] = number
        container["title"] = title
        container["total"] = total
        container["buyer"] = buyer
    }
}

/// A hand-written GRDB record for an article.
struct HandArticle: FetchableRecord {
    var key: Int64
    var title: String
    var number: Int64

    init(row: GRDB.Row) throws {
        key = row[0]
        title = row[1]
        number = row[2]
    }
}
#endif
