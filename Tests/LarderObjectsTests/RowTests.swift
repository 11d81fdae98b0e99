#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import LarderTesting
import Testing

/// Tests that values in packed rows are read unchanged, whatever the other columns contain.
@Suite(.expectsIssues(.repeatedQuery)) struct RowTests {
    @Entity final class Wide {
        var number: Int64 = 0
        var text: String = ""
        var real: Double = 0
        var data: Data = Data()
        var note: String?
        var last: Int64 = 0
    }

    private static let model = ObjectModel([Wide.self])

    private func text(_ length: Int) -> String {
        String(repeating: "e", count: max(0, length - 1)) + (length > 0 ? "z" : "")
    }

    @Test func rowsCloseToPageSizeRoundTrip() async throws {
        let lengths = Array(0...20) + Array(8_080...8_200) + [16_383, 16_384, 70_000, 1_000_000]
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                for (place, length) in lengths.enumerated() {
                    let wide = try storage.insertNewObject(ofType: Wide.self)
                    wide.number = Int64(place)
                    wide.text = text(length)
                    wide.real = Double(length) / 3
                    wide.data = Data(repeating: UInt8(place % 256), count: length / 2)
                    wide.note = place % 2 == 0 ? nil : text(length / 4)
                    wide.last = -Int64(length)
                }
            }
            let found = try manager.viewStorage.allObjects(ofType: Wide.self, sortedBy: [SortDescriptor(\.number)])
            #expect(found.count == lengths.count)
            for (place, (wide, length)) in zip(found, lengths).enumerated() {
                #expect(wide.text == text(length))
                #expect(wide.real == Double(length) / 3)
                #expect(wide.data == Data(repeating: UInt8(place % 256), count: length / 2))
                #expect(wide.note == (place % 2 == 0 ? nil : text(length / 4)))
                #expect(wide.last == -Int64(length))
            }
        }
    }

    @Test func singleColumnOfLongRowCanBeUpdated() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                let wide = try storage.insertNewObject(ofType: Wide.self)
                wide.text = text(20_000)
                wide.note = "short"
                try storage.saveIfNeeded()
                #expect(wide.text == text(20_000))
                wide.last = 5
                try storage.saveIfNeeded()
                #expect(wide.text == text(20_000))
                wide.text = "now short"
            }
            let wide = try #require(try manager.viewStorage.firstObject(ofType: Wide.self))
            #expect(wide.text == "now short")
            #expect(wide.note == "short")
            #expect(wide.last == 5)
        }
    }

    @Test func integersOfEveryLengthRoundTrip() async throws {
        let powers = (0..<63).flatMap { bit -> [Int64] in [(1 << bit) - 1, 1 << bit, -(1 << bit), -(1 << bit) - 1] }
        let numbers = powers + [.min, .max]
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                for number in numbers {
                    let wide = try storage.insertNewObject(ofType: Wide.self)
                    wide.number = number
                    wide.last = number
                }
            }
            let found = try manager.viewStorage.allObjects(ofType: Wide.self)
            #expect(found.map(\.number) == numbers)
            #expect(found.map(\.last) == numbers)
        }
    }

    @Test func realNumbersRoundTripBitForBit() async throws {
        let numbers = [0, -0.0, 1, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, 1e300]
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                for number in numbers { try storage.insertNewObject(ofType: Wide.self).real = number }
            }
            let found = try manager.viewStorage.allObjects(ofType: Wide.self).map(\.real)
            // SQLite stores whole numbers as integers, so that negative zero loses its sign.
            #expect(found == numbers)
        }
    }

    @Test func manyObjectsCanBeLoadedInAnyOrder() async throws {
        try await withStorage(model: Self.model) { manager in
            let ids = try await manager.performAndSave { storage in
                var ids: [ObjectID] = []
                for number in 0..<3_000 {
                    let wide = try storage.insertNewObject(ofType: Wide.self)
                    wide.number = Int64(number)
                    ids.append(wide.objectID)
                }
                return ids
            }
            try await manager.performAndSave { storage in
                var order: [Int] = []
                for step in 0..<3_000 { order.append(step * 7 % 3_000) }
                for place in order where place % 3 != 0 {
                    let wide = try #require(try storage.loadObject(ofType: Wide.self, with: ids[place]))
                    #expect(wide.number == Int64(place))
                    if place % 3 == 1 { try storage.deleteObject(wide) }
                }
                try storage.saveIfNeeded()
                for place in order {
                    let wide = try storage.loadObject(ofType: Wide.self, with: ids[place])
                    #expect(wide?.number == (place % 3 == 1 ? nil : Int64(place)))
                }
            }
            #expect(try manager.viewStorage.countObjects(ofType: Wide.self) == 2_000)
        }
    }

    /// The hash table that contains the objects must find row ids that are far apart.
    @Test(arguments: [1, 31, 32, 64, 1 << 20, 1 << 45] as [Int64])
    func objectsWithSparseIDsCanBeLoaded(_ step: Int64) async throws {
        try await withStorage { manager in
            let count: Int64 = 3_000
            try await manager.write { database in
                for number in 1...count {
                    let values: [any DatabaseValueConvertible] = [number * step, "\(number)", number]
                    try database.execute(
                        sql: "INSERT INTO Customer (objectID, name, age) VALUES (?, ?, ?)",
                        arguments: StatementArguments(values)
                    )
                }
            }
            let ids = try await manager.performAndSave { storage in
                let all = try storage.allObjects(ofType: Customer.self)
                #expect(all.map(\.age) == Array(1...Int(count)))
                for customer in all where customer.age % 3 == 0 { try storage.deleteObject(customer) }
                for customer in all where customer.age % 3 != 0 {
                    #expect(try storage.loadObject(ofType: Customer.self, with: customer.objectID) === customer)
                }
                return all.map(\.objectID)
            }
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 2_000)
            for (place, id) in ids.enumerated() {
                let found = try manager.viewStorage.loadObject(ofType: Customer.self, with: id)?.age
                #expect(found == ((place + 1) % 3 == 0 ? nil : place + 1))
            }
        }
    }

    @Test func retainedObjectOutlivesOtherObjectsOfFetch() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                for number in 0..<10_000 {
                    let wide = try storage.insertNewObject(ofType: Wide.self)
                    wide.number = Int64(number)
                    wide.text = "number \(number)"
                }
            }
            func some() throws -> [Wide] {
                try manager.viewStorage.allObjects(ofType: Wide.self, sortedBy: [SortDescriptor(\.number)])
                    .filter { $0.number % 1_000 == 0 }
            }
            let kept = try some()
            // Every fetch releases unused objects.
            for _ in 0..<4 { _ = try manager.viewStorage.countObjects(ofType: Wide.self) + some().count }
            #expect(kept.map(\.text) == (0..<10).map { "number \($0 * 1_000)" })
            let again = try some()
            #expect(zip(kept, again).allSatisfy { $0 === $1 })
        }
    }

    @Test func repeatedSavesInTransactionReportEachChangedObjectOnce() async throws {
        try await withStorage { manager in
            var changes = manager.changes.makeAsyncIterator()
            let (kept, gone) = try await manager.performAndSave { storage in
                let kept = try storage.insertNewObject(ofType: Customer.self)
                let gone = try storage.insertNewObject(ofType: Customer.self)
                try storage.saveIfNeeded()
                kept.name = "Ada"
                try storage.saveIfNeeded()
                kept.age = 36
                try storage.deleteObject(gone)
                return (kept.objectID, gone.objectID)
            }
            let first = try #require(await changes.next())
            #expect(first.inserted == [kept])
            #expect(first.updated.isEmpty)
            #expect(first.deleted.isEmpty)
            try await manager.performAndSave { storage in
                let customer = try #require(try storage.loadObject(ofType: Customer.self, with: kept))
                customer.name = "Grace"
                try storage.saveIfNeeded()
                customer.age = 85
            }
            let second = try #require(await changes.next())
            #expect(second.updated == [kept: ["name", "age"]])
            #expect(!second.inserted.contains(gone))
        }
    }

    @Test func replaceStatementInRawSQLUpdatesObject() async throws {
        try await withStorage { manager in
            let id = try await manager.performAndSave { storage in
                let customer = try storage.insertNewObject(ofType: Customer.self)
                customer.name = "Ada"
                return customer.objectID
            }
            let seen = try #require(try manager.viewStorage.firstObject(ofType: Customer.self))
            #expect(seen.name == "Ada")
            try await manager.write { database in
                try database.execute(sql: "DELETE FROM Customer")
                try database.execute(
                    sql: "INSERT INTO Customer (objectID, name, age) VALUES (?, 'Grace', 85)",
                    arguments: [id.rowID]
                )
            }
            let customer = try #require(try manager.viewStorage.firstObject(ofType: Customer.self))
            #expect(customer.name == "Grace")
            #expect(customer.objectID == id)
        }
    }

    @Test func failedSaveKeepsUnsavedChanges() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let first = try storage.insertNewObject(ofType: Tag.self)
                let second = try storage.insertNewObject(ofType: Tag.self)
                first.name = "red"
                second.name = "red"
                #expect(throws: ObjectError.self) { try storage.saveIfNeeded() }
                #expect(first.name == "red")
                second.name = "a name that is longer than what fits into the words of a text"
                try storage.saveIfNeeded()
            }
            let names = try manager.viewStorage.allObjects(ofType: Tag.self, sortedBy: [SortDescriptor(\.name)]).map(
                \.name
            )
            #expect(names == ["a name that is longer than what fits into the words of a text", "red"])
        }
    }
}
#endif
