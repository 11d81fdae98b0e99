#if Objects
import Dispatch
import Foundation
import GRDB
import LarderObjects
import Synchronization

enum ObjectBenchmarkError: Error { case wrongResult, differentSettings(String) }

/// A database file with the same rows for each contender, in WAL mode with `synchronous` set to NORMAL.
final class ObjectBench: Sendable {
    let manager: SQLiteStorageManager
    let pool: DatabasePool
    let c: CPeer
    let values: [OrderValue]
    /// The queue on which the view merges changes and code that uses the view runs.
    private let queue = DispatchQueue(label: "view")

    /// Creates the database files, and inserts `count` rows into each if `filled` is `true`.
    init(_ folder: String, rows count: Int = 0, filled: Bool = true) throws {
        values = (0..<count).map { OrderValue($0) }
        manager = try SQLiteStorageManager(
            model: ObjectModel([BenchmarkOrder.self, BenchmarkOwner.self, BenchmarkItem.self]),
            url: URL(fileURLWithPath: folder + "/objects.sqlite"),
            configuration: .init(viewQueue: queue)
        )
        c = try CPeer(folder + "/c.sqlite", rows: count)
        // The C peer creates the same table in GRDB's file.
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

    /// Throws an error unless GRDB and Larder use the settings of the C peer, which are WAL and `synchronous` NORMAL.
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

    /// Inserts all rows as objects in one call to `performAndSave`.
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

    /// Runs `body` in `performAndSave` and waits until it is saved.
    func perform(_ body: @escaping @Sendable (any WritableStorageType) throws -> Void) throws {
        try begin(body).get()
    }

    /// Starts `performAndSave` and returns an object that can wait for its result.
    func begin(_ body: @escaping @Sendable (any WritableStorageType) throws -> Void) -> Outcome<Void> {
        let result = Outcome<Void>()
        manager.performAndSave(body, completion: { result.set($0) }, on: queue)
        return result
    }

    /// Runs asynchronous work and blocks until it has finished.
    func wait<T: Sendable>(_ body: @escaping @Sendable (SQLiteStorageManager) async throws -> T) throws -> T {
        let result = Outcome<T>()
        Task { [manager] in
            do { result.set(.success(try await body(manager))) } catch { result.set(.failure(error)) }
        }
        return try result.get()
    }
}

/// The result of work on another thread.
final class Outcome<T: Sendable>: Sendable {
    private let value = Mutex<Result<T, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    func set(_ result: Result<T, any Error>) {
        value.withLock { $0 = result }
        done.signal()
    }

    /// Blocks until the work has finished, and returns its result.
    func get() throws -> T {
        done.wait()
        guard let result = value.withLock({ $0 }) else { throw ObjectBenchmarkError.wrongResult }
        return try result.get()
    }
}

/// Work in `performAndSave` that pauses in the middle, so that its second half can be timed alone.
final class HeldWork: Sendable {
    private let bench: ObjectBench
    private let held = Mutex<(ready: DispatchSemaphore, go: DispatchSemaphore, outcome: Outcome<Void>)?>(nil)

    init(_ bench: ObjectBench) { self.bench = bench }

    /// Starts `performAndSave` and returns when all orders are fetched.
    ///
    /// ``finish()`` then passes them to `change`.
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

    /// Changes the orders, saves them, and returns when the view has merged the changes.
    func finish() throws {
        guard let work = held.withLock({ $0 }) else { throw ObjectBenchmarkError.wrongResult }
        work.go.signal()
        try work.outcome.get()
    }
}
#endif
