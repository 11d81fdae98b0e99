#if Objects
import Dispatch
import Foundation
import LarderObjects

/// The versions of a model whose only entity has eight attributes.
enum MigrationModels {
    enum First {
        @Entity final class Sale {
            var number: Int = 0
            var site: Int = 0
            var status: String = ""
            var title: String = ""
            var note: String?
            var total: Double = 0
            var date: Double = 0
            var isPaid: Bool = false
        }
    }

    enum WithRemark {
        @Entity final class Sale {
            var number: Int = 0
            var site: Int = 0
            var status: String = ""
            var title: String = ""
            var note: String?
            var total: Double = 0
            var date: Double = 0
            var isPaid: Bool = false
            var remark: String?
        }
    }

    enum WithDoubleNumber {
        @Entity final class Sale {
            var number: Double = 0
            var site: Int = 0
            var status: String = ""
            var title: String = ""
            var note: String?
            var total: Double = 0
            var date: Double = 0
            var isPaid: Bool = false
        }
    }

    enum WithStringNumber {
        @Entity final class Sale {
            var number: String = ""
            var site: Int = 0
            var status: String = ""
            var title: String = ""
            var note: String?
            var total: Double = 0
            var date: Double = 0
            var isPaid: Bool = false
        }
    }

    enum WithStringTotal {
        @Entity final class Sale {
            var number: Int = 0
            var site: Int = 0
            var status: String = ""
            var title: String = ""
            var note: String?
            var total: String = ""
            var date: Double = 0
            var isPaid: Bool = false
        }
    }

    /// Returns the model with a custom stage that changes one attribute of each object.
    static func withStage() throws -> ObjectModel {
        let stage = MigrationStage(from: 1, to: 2) { migration in
            try migration.migrate("Sale") { old, new in
                new["number"] = (old["number"] as Int? ?? 0) + 1
            }
        }
        let plan = MigrationPlan(versions: .models([try ObjectModel([First.Sale.self]).frozen()]), stages: [stage])
        return ObjectModel([First.Sale.self], version: 2, plan: plan)
    }

    /// Writes a file of the first version.
    static func fill(_ url: URL, rows count: Int) throws {
        let manager = try open(ObjectModel([First.Sale.self]), url)
        let result = Outcome<Void>()
        manager.performAndSave(
            { storage in
                for number in 0..<count {
                    let sale = try storage.insertNewObject(ofType: First.Sale.self)
                    (sale.number, sale.site, sale.status) = (number, 7, "processing")
                    sale.title = "Order number \(number)"
                    sale.note = number % 4 == 0 ? "Please ring twice" : nil
                    (sale.total, sale.date, sale.isPaid) = (Double(number) / 4, Double(number) * 60, number % 2 == 1)
                    if number % 10_000 == 0 { try storage.saveIfNeeded() }
                }
            },
            completion: { result.set($0) },
            on: .global()
        )
        try result.get()
        try manager.close()
    }

    /// Opens a file, and migrates it to the model if necessary.
    static func open(_ model: ObjectModel, _ url: URL) throws -> SQLiteStorageManager {
        // The main queue does not run in this program.
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        configuration.migration.backups = 0
        return try SQLiteStorageManager(model: model, url: url, configuration: configuration)
    }
}
#endif
