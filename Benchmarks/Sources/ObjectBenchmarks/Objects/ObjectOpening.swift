#if Objects
import Dispatch
import Foundation
import LarderObjects

/// Measures the translation of predicates and the opening of a database.
extension Area {
    static var translatingPredicates: Row {
        .timed("translate a #Predicate of three clauses to SQL") { folder in
            let bench = try ObjectBench(folder)
            let (number, status) = (10 as Int64, "paid")
            return [
                Contender("Larder", operations: 1_000, goal: .atMost(10_000)) { _ in
                    for _ in 0..<1_000 {
                        let request = ObjectRequest<BenchmarkOrder>(
                            Filter(#Predicate { $0.number > number && $0.status == status && $0.isPaid })
                        )
                        keep(try bench.manager.sql(of: request).sql)
                    }
                }
            ]
        }
    }

    static var openingManyEntities: Row {
        Row("open an existing file with 88 entities, 713 attributes and 130 relationships") { folder in
            let url = URL(fileURLWithPath: folder + "/wide.sqlite")
            // The main queue does not run in this program.
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            let first = try SQLiteStorageManager(model: WideModel.model, url: url, configuration: configuration)
            let filled = Outcome<Void>()
            first.performAndSave({ try WideModel.fill($0) }, completion: { filled.set($0) }, on: .global())
            try filled.get()
            try first.close()
            let samples = try (0..<15).map { _ in
                var manager: SQLiteStorageManager?
                let time = try nanoseconds {
                    manager = try SQLiteStorageManager(model: WideModel.model, url: url, configuration: configuration)
                }
                try manager?.close()
                return time
            }
            return [Figure("Larder", median(samples), goal: .atMost(5_000_000))]
        }
    }
}
#endif
