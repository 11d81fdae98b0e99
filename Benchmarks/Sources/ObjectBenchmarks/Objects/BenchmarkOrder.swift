#if Objects
import Foundation
import GRDB
import LarderObjects

/// A managed object with the eight columns that every contender stores.
@Entity(bridges: OrderValue.self) final class BenchmarkOrder {
    var site: Int64 = 0
    var number: Int64 = 0
    var status: String = ""
    var title: String = ""
    var note: String?
    var total: Double = 0
    var date: Date = Date(timeIntervalSinceReferenceDate: 0)
    var isPaid: Bool = false
}

@Entity final class BenchmarkOwner {
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \BenchmarkItem.owner) var items: [BenchmarkItem]
}

@Entity final class BenchmarkItem {
    var name: String = ""
    @Relationship var owner: BenchmarkOwner?
}

struct OrderValue: Sendable, Equatable {
    var site: Int64
    var number: Int64
    var status: String
    var title: String
    var note: String?
    var total: Double
    var date: Date
    var isPaid: Bool

    init(
        site: Int64,
        number: Int64,
        status: String,
        title: String,
        note: String?,
        total: Double,
        date: Date,
        isPaid: Bool
    ) {
        self.site = site
        self.number = number
        self.status = status
        self.title = title
        self.note = note
        self.total = total
        self.date = date
        self.isPaid = isPaid
    }

    init(_ number: Int) {
        self.init(
            site: 7,
            number: Int64(number),
            status: "processing",
            title: "Order number \(number)",
            note: number % 4 == 0 ? "Please ring twice" : nil,
            total: Double(number) / 4,
            date: Date(timeIntervalSinceReferenceDate: Double(number) * 60),
            isPaid: number % 2 == 1
        )
    }
}

/// A hand-written GRDB record for an order.
struct HandRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "entry"
    var key: Int64
    var value: OrderValue

    init(_ number: Int, _ values: [OrderValue]) {
        key = Int64(number) + 1
        value = values[number]
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

/// A GRDB record for an order that uses Swift's `Codable`.
struct CodableRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "entry"
    var key: Int64
    var site: Int64
    var number: Int64
    var status: String
    var title: String
    var note: String?
    var total: Double
    var date: Double
    var isPaid: Bool

    init(_ number: Int, _ values: [OrderValue]) {
        let value = values[number]
        key = Int64(number) + 1
        site = value.site
        self.number = value.number
        status = value.status
        title = value.title
        note = value.note
        total = value.total
        date = value.date.timeIntervalSinceReferenceDate
        isPaid = value.isPaid
    }
}
#endif
