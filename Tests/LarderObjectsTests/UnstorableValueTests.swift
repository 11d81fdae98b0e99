#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// A value that can't be encoded if it is empty, and can't be decoded if it is "spoiled".
struct Parcel: Codable, Sendable, Equatable {
    struct Empty: Error, CustomStringConvertible { let description = "the parcel is empty" }
    struct Spoiled: Error {}

    var content: String
    static let empty = Parcel(content: "")

    init(content: String) { self.content = content }
    init(from decoder: any Decoder) throws {
        content = try decoder.singleValueContainer().decode(String.self)
        if content == "spoiled" { throw Spoiled() }
    }
    func encode(to encoder: any Encoder) throws {
        if content.isEmpty { throw Empty() }
        var container = encoder.singleValueContainer()
        try container.encode(content)
    }
}

enum Size: Int, Codable, Sendable { case small = 1, large }

@Entity final class Shelf {
    @Attribute(.unique) var number: Int64
    var first: Parcel = Parcel(content: "box")
    var second: Parcel?
    var parcels: [Parcel]?
    var weight: Double?
    var size: Size?
    var link: URL?
    @Relationship(deleteRule: .cascade, inverse: \ShelfLabel.shelf) var labels: [ShelfLabel]
}

@Entity final class ShelfLabel {
    var parcel: Parcel?
    @Relationship var shelf: Shelf?
}

@Persistable(unique: [["number"]]) struct Drawer: Sendable, Equatable {
    var number: Int64
    var parcel: Parcel?
}

/// Tests that a value that can't be encoded is refused with a reason, and never stored as NULL.
@Suite(.expectsIssues(.notConvertible)) struct UnstorableValueTests {
    private static let model = ObjectModel([Shelf.self, ShelfLabel.self, StoredDrawer.self])

    /// Returns the error that a refused save throws, and checks that nothing was changed.
    private func refusal(
        _ manager: SQLiteStorageManager,
        _ work: @escaping @Sendable (any WritableStorageType) throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ObjectError {
        let (rows, shelves) = (try await rows(manager), try shown(manager))
        let error = await #expect(throws: ObjectError.self, sourceLocation: sourceLocation) {
            try await manager.performAndSave { try work($0) }
        }
        #expect(try await self.rows(manager) == rows, "the database changed", sourceLocation: sourceLocation)
        #expect(try shown(manager) == shelves, "the view changed", sourceLocation: sourceLocation)
        return try #require(error, sourceLocation: sourceLocation)
    }

    private func rows(_ manager: SQLiteStorageManager) async throws -> [String] {
        try await manager.write { database in
            try ["Shelf", "ShelfLabel", "StoredDrawer"].flatMap { table in
                try Row.fetchAll(database, sql: "SELECT * FROM \(table) ORDER BY objectID").map(\.description)
            }
        }
    }

    private func shown(_ manager: SQLiteStorageManager) throws -> [String] {
        try manager.viewStorage.allObjects(ofType: Shelf.self).map {
            "\($0.objectID) \($0.first) \($0.second as Any) \($0.parcels as Any) \($0.weight as Any)"
        }
    }

    @discardableResult
    private func stock(_ manager: SQLiteStorageManager, second: Parcel? = nil) async throws -> ObjectID {
        try await manager.performAndSave { storage in
            let shelf = try storage.insertNewObject(ofType: Shelf.self)
            (shelf.number, shelf.second) = (1, second)
            return shelf.objectID
        }
    }

    @Test func savingUnencodableOptionalOfInsertedObjectFails() async throws {
        try await withStorage(model: Self.model) { manager in
            let error = try await refusal(manager) { storage in
                let shelf = try storage.insertNewObject(ofType: Shelf.self)
                (shelf.number, shelf.second) = (1, .empty)
            }
            #expect(error.code == .invalidObjects && error.underlying is Parcel.Empty)
            #expect(error.path == manager.url.path)
            try #require(error.problems.count == 1)
            for part in ["Shelf/1", "second", "the parcel is empty", "Set another value"] {
                #expect(error.problems[0].contains(part))
            }
        }
    }

    @Test func savingUnencodableValueInEmptyColumnFails() async throws {
        try await withStorage(model: Self.model) { manager in
            let id = try await stock(manager)
            let error = try await refusal(manager) { storage in
                let shelf = try #require(try storage.loadObject(ofType: Shelf.self, with: id))
                shelf.second = .empty
            }
            #expect(error.underlying is Parcel.Empty && error.problems.count == 1)
        }
    }

    @Test func savingUnencodableValueOverStoredValueFails() async throws {
        try await withStorage(.file, model: Self.model) { manager in
            let id = try await stock(manager, second: Parcel(content: "tea"))
            let error = try await refusal(manager) { storage in
                let shelf = try #require(try storage.loadObject(ofType: Shelf.self, with: id))
                shelf.second = .empty
            }
            #expect(error.underlying is Parcel.Empty && error.problems.count == 1)
        }
    }

    @Test func savingNaNInEmptyColumnFails() async throws {
        try await withStorage(model: Self.model) { manager in
            let id = try await stock(manager)
            let error = try await refusal(manager) { storage in
                try storage.loadObject(ofType: Shelf.self, with: id)?.weight = .nan
            }
            #expect(error.code == .invalidObjects && error.problems.count == 1)
        }
    }

    @Test func singleErrorListsAllUnencodableValues() async throws {
        try await withStorage(model: Self.model) { manager in
            let id = try await stock(manager)
            let error = try await refusal(manager) { storage in
                let old = try #require(try storage.loadObject(ofType: Shelf.self, with: id))
                (old.first, old.second, old.parcels) = (.empty, .empty, [Parcel(content: "tea"), .empty])
                let new = try storage.insertNewObject(ofType: Shelf.self)
                (new.second, new.weight) = (.empty, .nan)
                old.addToLabels(try storage.insertNewObject(ofType: ShelfLabel.self))
                old.labels[0].parcel = .empty
            }
            // The last problem is the missing number of the new shelf.
            let wanted = [
                ("Shelf/1", "first"), ("Shelf/1", "second"), ("Shelf/1", "parcels"), ("Shelf/4097", "second"),
            ]
            for (id, name) in wanted {
                #expect(
                    error.problems.contains { $0.contains(id.prefix(6)) && $0.contains(name) && $0.contains("empty") }
                )
            }
            #expect(error.problems.count == 7)
            #expect(error.problems.contains { $0.contains("ShelfLabel/") && $0.contains("parcel") })
        }
    }

    @Test func objectWithUnencodableValueHasChanges() async throws {
        try await withStorage(model: Self.model) { manager in
            let id = try await stock(manager)
            try await manager.performAndSave { storage in
                let shelf = try #require(try storage.loadObject(ofType: Shelf.self, with: id))
                shelf.second = .empty
                #expect(shelf.hasChanges && storage.hasChanges)
                shelf.second = nil
                #expect(!shelf.hasChanges && !storage.hasChanges)
            }
        }
    }

    @Test func rejectedSaveCanBeRetried() async throws {
        try await withStorage(model: Self.model) { manager in
            let id = try await stock(manager)
            try await manager.performAndSave { storage in
                let shelf = try #require(try storage.loadObject(ofType: Shelf.self, with: id))
                shelf.second = .empty
                #expect(throws: ObjectError.self) { try storage.saveIfNeeded() }
                shelf.second = Parcel(content: "jam")
                try storage.saveIfNeeded()
            }
            #expect(try manager.viewStorage.loadObject(ofType: Shelf.self, with: id)?.second?.content == "jam")
        }
    }

    @Test func batchUpdateRejectsUnencodableValue() async throws {
        try await withStorage(model: Self.model) { manager in
            try await stock(manager, second: Parcel(content: "tea"))
            let error = try await refusal(manager) { storage in
                try storage.batchUpdate(
                    ofType: Shelf.self,
                    set: [.set(\.second, to: .empty), .set(\.weight, to: .nan)]
                )
            }
            #expect(error.code == .invalidObjects && error.underlying is Parcel.Empty)
            #expect(error.problems.count == 2)
            #expect(error.problems.first?.contains("Shelf.second") == true)
        }
    }

    @Test func syncRejectsStructWithUnencodableValue() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                _ = try storage.sync([Drawer(number: 1, parcel: nil)], by: \StoredDrawer.number)
            }
            for drawers in [[Drawer(number: 1, parcel: .empty)], [Drawer(number: 2, parcel: .empty)]] {
                let error = try await refusal(manager) { _ = try $0.sync(drawers, by: \StoredDrawer.number) }
                #expect(error.underlying is Parcel.Empty && error.problems.count == 1)
                let other = try await refusal(manager) { _ = try $0.upsert(drawers, by: \StoredDrawer.number) }
                #expect(other.underlying is Parcel.Empty && other.problems.count == 1)
            }
        }
    }
}

/// Tests that a property's default is validated like any other value.
@Suite(.expectsIssues(.notConvertible)) struct UnstorableDefaultTests {
    enum Before {
        @Entity final class Note { var text = "" }
    }
    enum After {
        @Entity final class Note {
            var text = ""
            var parcel: Parcel? = Parcel.empty
        }
    }

    @Test func savingUnencodableDefaultFails() async throws {
        try await withStorage(model: ObjectModel([After.Note.self])) { manager in
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { _ = try $0.insertNewObject(ofType: After.Note.self) }
            }
            #expect(error?.code == .invalidObjects && error?.underlying is Parcel.Empty)
            try await manager.performAndSave { try $0.insertNewObject(ofType: After.Note.self).parcel = nil }
            #expect(try manager.viewStorage.countObjects(ofType: After.Note.self) == 1)
        }
    }

    @Test func migrationRejectsUnencodableDefault() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("notes.sqlite")
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            let manager = try SQLiteStorageManager(
                model: ObjectModel([Before.Note.self]),
                url: url,
                configuration: configuration
            )
            try await manager.performAndSave { try $0.insertNewObject(ofType: Before.Note.self).text = "a" }
            try manager.close()
            let bytes = try Data(contentsOf: url)
            let error = #expect(throws: ObjectError.self) {
                try SQLiteStorageManager(model: ObjectModel([After.Note.self]), url: url, configuration: configuration)
            }
            #expect(error?.code == .modelMismatch)
            #expect(error?.problems.first?.contains("Note.parcel") == true)
            #expect(error?.problems.first?.contains("the parcel is empty") == true)
            #expect(try Data(contentsOf: url) == bytes)
        }
    }
}

/// Tests that a stored value that can't be decoded is reported with a reason, and never silently read as `nil`.
@Suite(.expectsIssues(.notConvertible)) struct UndecodableValueTests {
    private func spoiled(
        _ assignment: String,
        _ body: (SQLiteStorageManager, Shelf) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let manager = try SQLiteStorageManager(
                model: ObjectModel([Shelf.self, ShelfLabel.self]),
                name: "shop",
                in: folder,
                configuration: .init(viewQueue: DispatchQueue(label: "view"))
            )
            try await manager.performAndSave { try $0.insertNewObject(ofType: Shelf.self).number = 1 }
            try await manager.write { try $0.execute(sql: "UPDATE Shelf SET \(assignment)") }
            let shelf = try #require(try manager.viewStorage.firstObject(ofType: Shelf.self))
            try await body(manager, shelf)
            #expect(try manager.verify().problems.count == 1)
            try manager.close()
        }
    }

    private func check<Value: Equatable>(
        _ assignment: String,
        _ keyPath: KeyPath<Shelf, Value?>
    ) async throws -> (any Error)? {
        var cause: (any Error)?
        try await spoiled(assignment) { _, shelf in
            let issues = Box<[LarderIssue]>([])
            let value = withIssueHandler({ issues.value.append($0) }) { shelf[keyPath: keyPath] }
            #expect(value == nil)
            #expect(issues.value.map(\.code) == [.notConvertible])
            let error = #expect(throws: ObjectError.self) { try shelf.load(keyPath) }
            #expect(error?.code == .notConvertible)
            cause = error?.underlying
        }
        return cause
    }

    @Test func undecodableOptionalIsReported() async throws {
        #expect(try await check("second = '\"spoiled\"'", \.second) is Parcel.Spoiled)
        #expect(try await check("second = '{'", \.second) is DecodingError)
    }

    @Test func invalidOptionalRawValueIsReported() async throws { _ = try await check("size = 7", \.size) }

    @Test func invalidOptionalURLIsReported() async throws { _ = try await check("link = ''", \.link) }

    @Test func undecodableValueIssueContainsDecodingError() async throws {
        try await spoiled("second = '\"spoiled\"'") { _, shelf in
            let issues = Box<[LarderIssue]>([])
            _ = withIssueHandler({ issues.value.append($0) }) { shelf.second }
            #expect(issues.value.first?.underlying is Parcel.Spoiled)
        }
    }

    @Test func undecodableValueIsNotOverwrittenByModifiedDefault() async throws {
        try await spoiled("parcels = '[\"spoiled\"]'") { manager, shelf in
            let id = shelf.objectID
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    let shelf = try #require(try storage.loadObject(ofType: Shelf.self, with: id))
                    withIssueHandler({ _ in }) { shelf.parcels = (shelf.parcels ?? []) + [Parcel(content: "tea")] }
                }
            }
            #expect(error?.code == .invalidObjects && error?.underlying is Parcel.Spoiled)
            #expect(error?.problems.first?.contains("parcels") == true)
        }
    }

    @Test func undecodableValueCanBeReplacedWithoutReading() async throws {
        try await withStorage(model: ObjectModel([Shelf.self, ShelfLabel.self])) { manager in
            try await manager.performAndSave { try $0.insertNewObject(ofType: Shelf.self).number = 1 }
            try await manager.write { try $0.execute(sql: "UPDATE Shelf SET second = '{'") }
            try await manager.performAndSave { storage in
                try storage.firstObject(ofType: Shelf.self)?.second = Parcel(content: "tea")
            }
            #expect(try manager.viewStorage.firstObject(ofType: Shelf.self)?.second?.content == "tea")
        }
    }

    @Test func undecodableValueOfFetchedStructIsReported() async throws {
        try await withTemporaryFolder { folder in
            let manager = try SQLiteStorageManager(
                model: ObjectModel([StoredDrawer.self]),
                name: "shop",
                in: folder,
                configuration: .init(viewQueue: DispatchQueue(label: "view"))
            )
            try await manager.performAndSave { storage in
                _ = try storage.upsert([Drawer(number: 1, parcel: nil)], by: \StoredDrawer.number)
            }
            try await manager.write { try $0.execute(sql: "UPDATE StoredDrawer SET parcel = '\"spoiled\"'") }
            var issues = manager.issues.makeAsyncIterator()
            let drawers = try await manager.fetchValues(ObjectRequest<StoredDrawer>())
            #expect(drawers == [Drawer(number: 1, parcel: nil)])
            let issue = await issues.next()
            #expect(issue?.code == .notConvertible && issue?.underlying is Parcel.Spoiled)
            try manager.close()
        }
    }
}
#endif
