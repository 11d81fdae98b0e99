#if Objects
import Dispatch
import Foundation
import GRDB
import LarderObjects
import Synchronization

enum ObjectBenchmarkError: Error { case wrongResult, differentSettings(String) }

/// The same rows in a file of each contender: WAL, synchronous NORMAL, one transaction for each call.
final class ObjectBench: Sendable {
    let manager: SQLiteStorageManager
    let pool: DatabasePool
    let c: CPeer
    let values: [OrderValue]
    /// Where the view merges, and where code with the view runs.
    private let queue = DispatchQueue(label: "view")

    /// Makes the files, with `count` rows in each if they are `filled`.
    init(_ folder: String, rows count: Int = 0, filled: Bool = true) throws {
        values = (0..<count).map { OrderValue($0) }
        manager = try SQLiteStorageManager(
            model: ObjectModel([BenchmarkOrder.self, BenchmarkOwner.self, BenchmarkItem.self]),
            url: URL(fileURLWithPath: folder + "/objects.sqlite"),
            configuration: .init(viewQueue: queue)
        )
        c = try CPeer(folder + "/c.sqlite", rows: count)
        // The same table, made by the program in C.
        _ = try CPeer(folder + "/grdb.sqlite")
        pool = try DatabasePool(path: folder + "/grdb.sqlite")
        try checkSettings()
        guard filled, count > 0 else { return }
        try c.insert()
        try insert()
        try pool.write { [values] database in
            for number in 0..<count { try HandRecord(number, values).insert(database) }
        }
    }

    /// GRDB chooses the same for its own file and for that of Larder; C sets what these are.
    private func checkSettings() throws {
        @Sendable func settings(_ database: Database) throws -> String {
            let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode") ?? ""
            let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? -1
            return "journal \(journal), synchronous \(synchronous)"
        }
        let all = try [pool.writeWithoutTransaction(settings), wait { try await $0.write(settings) }]
        for one in all where one != "journal wal, synchronous 1" {
            throw ObjectBenchmarkError.differentSettings(one)
        }
    }

    /// Inserts all rows as objects, in one `performAndSave`.
    func insert() throws {
        try perform { [values] storage in
            for value in values {
                let order = try storage.insertNewObject(ofType: BenchmarkOrder.self)
                order.site = value.site
                order.number = value.number
                order.status = value.status
                order.title = value.title
                order.note = value.note
                order.total = value.total
                order.date = value.date
                order.isPaid = value.isPaid
            }
        }
    }

    /// Runs `performAndSave` and waits for its end.
    func perform(_ body: @escaping @Sendable (any WritableStorageType) throws -> Void) throws {
        try begin(body).get()
    }

    /// Runs `performAndSave`; wait for its end with the result.
    func begin(_ body: @escaping @Sendable (any WritableStorageType) throws -> Void) -> Outcome<Void> {
        let result = Outcome<Void>()
        manager.performAndSave(body, completion: { result.set($0) }, on: queue)
        return result
    }

    /// Runs asynchronous work and waits for its end.
    func wait<T: Sendable>(_ body: @escaping @Sendable (SQLiteStorageManager) async throws -> T) throws -> T {
        let result = Outcome<T>()
        Task { [manager] in
            do { result.set(.success(try await body(manager))) } catch { result.set(.failure(error)) }
        }
        return try result.get()
    }
}

/// What some work on another thread comes to.
final class Outcome<T: Sendable>: Sendable {
    private let value = Mutex<Result<T, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    func set(_ result: Result<T, any Error>) {
        value.withLock { $0 = result }
        done.signal()
    }

    /// Waits for it.
    func get() throws -> T {
        done.wait()
        guard let result = value.withLock({ $0 }) else { throw ObjectBenchmarkError.wrongResult }
        return try result.get()
    }
}

/// Work in `performAndSave` that stops in the middle until it is told to go on, so that its second half can be timed alone.
final class HeldWork: Sendable {
    private let bench: ObjectBench
    private let held = Mutex<(ready: DispatchSemaphore, go: DispatchSemaphore, outcome: Outcome<Void>)?>(nil)

    init(_ bench: ObjectBench) { self.bench = bench }

    /// Fetches all orders, and returns when that is done.
    func fetch(_ change: @escaping @Sendable ([BenchmarkOrder]) -> Void) {
        let (ready, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let outcome = bench.begin { storage in
            let orders = try storage.allObjects(ofType: BenchmarkOrder.self)
            ready.signal()
            go.wait()
            change(orders)
        }
        ready.wait()
        held.withLock { $0 = (ready, go, outcome) }
    }

    /// Changes them, saves, and returns when the view has it.
    func finish() throws {
        guard let work = held.withLock({ $0 }) else { throw ObjectBenchmarkError.wrongResult }
        work.go.signal()
        try work.outcome.get()
    }
}
#endif
