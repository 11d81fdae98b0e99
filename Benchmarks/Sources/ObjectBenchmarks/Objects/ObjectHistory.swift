#if Objects
import Dispatch
import Foundation
import LarderObjects

/// Measures saves of files with different histories.
extension Area {
    static var savingWithOldValues: Row {
        .timed("change two attributes of one order, with the internal history and with old values", clock: .processor) {
            folder in
            let saves = 500
            let files = try [
                ("internal", HistoryPolicy.internal), ("saves", .kept()), ("values", .kept(oldValues: true)),
            ]
            .map { try HistoryFile(folder + "/\($0).sqlite", $1) }
            return [
                Contender("Larder, internal history", operations: saves) { try files[0].save(saves, round: $0) },
                Contender("Larder, kept saves", operations: saves) { try files[1].save(saves, round: $0) },
                // At most 1.5 times a save without any history. The internal history takes 1.2 times as long as such a save.
                Contender("Larder, kept saves with old values", operations: saves, goal: .timesFirst(1.25)) {
                    try files[2].save(saves, round: $0)
                },
            ]
        }
    }
}

/// A file with 500 orders.
private final class HistoryFile: Sendable {
    private let manager: SQLiteStorageManager
    private let queue = DispatchQueue(label: "view")
    private let ids: [ObjectID]

    init(_ path: String, _ history: HistoryPolicy) throws {
        var configuration = ObjectStorageConfiguration(viewQueue: queue)
        configuration.history = history
        manager = try SQLiteStorageManager(
            model: ObjectModel([BenchmarkOrder.self, BenchmarkOwner.self, BenchmarkItem.self]),
            url: URL(fileURLWithPath: path),
            configuration: configuration
        )
        let ids = Outcome<[ObjectID]>()
        manager.performAndSave(
            { storage in
                try (0..<500).map { number in
                    let order = try storage.insertNewObject(ofType: BenchmarkOrder.self)
                    (order.number, order.title) = (Int64(number), "order \(number)")
                    return order.objectID
                }
            },
            completion: { ids.set($0) },
            on: queue
        )
        self.ids = try ids.get()
    }

    /// Changes one order in each of several saves.
    func save(_ saves: Int, round: Int) throws {
        for id in ids.prefix(saves) {
            let result = Outcome<Void>()
            manager.performAndSave(
                { storage in
                    let order = try storage.loadObject(ofType: BenchmarkOrder.self, with: id)
                    guard let order else { throw ObjectBenchmarkError.wrongResult }
                    (order.total, order.title) = (Double(round), "order \(id.rowID) in round \(round)")
                },
                completion: { result.set($0) },
                on: queue
            )
            try result.get()
        }
    }
}
#endif
