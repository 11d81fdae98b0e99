#if Objects
import Foundation
import GRDB
import LarderCore
@testable import LarderObjects
import Testing

/// Tests that a damaged file and a full disk cause errors with a code and a path, and no data is lost.
@Suite struct BadInputTests {
    private static func configuration() -> ObjectStorageConfiguration {
        ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
    }

    /// Sets the maximum number of pages of the file on the connection of `performAndSave`.
    ///
    /// Raw SQL has another connection.
    private static func setMaximum(_ pages: Int, in manager: SQLiteStorageManager) async throws {
        try await manager.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }

    @Test func failedSaveOnFullDiskChangesNothing() async throws {
        try await withStorage(.file) { manager in
            try await manager.performAndSave { try $0.insertNewObject(ofType: Customer.self).name = "Ada" }
            // SQLite reports a full disk if the file is not allowed to grow.
            let pages = try await manager.pool.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
            try await Self.setMaximum(pages, in: manager)
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    for number in 0..<2_000 {
                        let customer = try storage.insertNewObject(ofType: Customer.self)
                        customer.name = String(repeating: "x", count: 100) + "\(number)"
                    }
                }
            }
            #expect(error?.code == .diskFull && error?.path == manager.url.path)
            let names = try manager.viewStorage.allObjects(ofType: Customer.self).map(\.name)
            #expect(names == ["Ada"])
            try await Self.setMaximum(1_000_000, in: manager)
            try await manager.performAndSave { try $0.insertNewObject(ofType: Customer.self).name = "Eve" }
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 2)
        }
    }

    /// When the disk is full, SQLite rolls back the whole transaction, so that later writes would otherwise be committed one by one.
    @Test func writesAfterFailedSaveOnFullDiskAreRolledBack() async throws {
        try await withStorage(.file) { manager in
            try await manager.performAndSave { try $0.insertNewObject(ofType: Customer.self).name = "Ada" }
            let pages = try await manager.pool.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
            try await Self.setMaximum(pages, in: manager)
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    try storage.firstObject(ofType: Customer.self)?.name = "Eve"
                    for number in 0..<2_000 {
                        let customer = try storage.insertNewObject(ofType: Customer.self)
                        customer.name = String(repeating: "x", count: 100) + "\(number)"
                    }
                    let error = #expect(throws: ObjectError.self) { try storage.saveIfNeeded() }
                    #expect(error?.code == .diskFull)
                    // The operation continues after the error.
                    #expect(throws: ObjectError.self) { try storage.countObjects(ofType: Customer.self) }
                }
            }
            #expect(error != nil)
            try await Self.setMaximum(1_000_000, in: manager)
            let names = try await manager.write { try String.fetchAll($0, sql: "SELECT name FROM Customer") }
            #expect(names == ["Ada"])
            try await manager.performAndSave { try $0.insertNewObject(ofType: Customer.self).name = "Ann" }
            #expect(try manager.viewStorage.allObjects(ofType: Customer.self).map(\.name) == ["Ada", "Ann"])
        }
    }

    @Test func databaseWithFlippedBitIsReadOrThrowsObjectError() async throws {
        try await withTemporaryFolder { folder in
            let original = folder.appendingPathComponent("whole.sqlite")
            let whole = try SQLiteStorageManager(model: Shop.model, url: original, configuration: Self.configuration())
            try await whole.performAndSave { try PredicateTests.fill($0) }
            try whole.close()
            let bytes = try Data(contentsOf: original)
            for step in 0..<60 {
                var damaged = bytes
                damaged[(step * 7_919 + 17) % bytes.count] ^= 1 << (step % 8)
                let url = folder.appendingPathComponent("\(step).sqlite")
                try damaged.write(to: url)
                var isOpen = false
                do {
                    let manager = try SQLiteStorageManager(
                        model: Shop.model,
                        url: url,
                        configuration: Self.configuration()
                    )
                    isOpen = true
                    defer { try? manager.close() }
                    try withIssueHandler({ _ in }) {
                        for order in try manager.viewStorage.allObjects(ofType: Order.self) {
                            _ = (order.status, order.items.count, order.customer?.name)
                        }
                        _ = try manager.viewStorage.countObjects(ofType: Tag.self)
                        _ = try manager.verify()
                    }
                } catch let error as ObjectError {
                    #expect(!error.message.isEmpty && error.path == url.path, "step \(step): \(error)")
                    // Opening a database increases a counter in its header.
                    if !isOpen { #expect(try Data(contentsOf: url) == damaged, "step \(step)") }
                }
            }
        }
    }
}
#endif
