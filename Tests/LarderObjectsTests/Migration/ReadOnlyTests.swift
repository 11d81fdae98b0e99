#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests of files that are opened read-only, with the same or a different version of their model.
@Suite struct ReadOnlyTests {
    private typealias First = MigrationTests.First

    private func openReadOnly(_ file: MigratingFile, _ model: ObjectModel) throws -> SQLiteStorageManager {
        try SQLiteStorageManager.openReadOnly(model: model, url: file.url, configuration: file.configuration)
    }

    /// Opens the file read-only, runs `body`, and checks that no byte of the file has changed.
    private func reading(
        _ file: MigratingFile,
        _ model: ObjectModel,
        _ body: (SQLiteStorageManager) async throws -> Void
    ) async throws {
        let bytes = try Data(contentsOf: file.url)
        let manager = try openReadOnly(file, model)
        #expect(manager.isReadOnly)
        try await body(manager)
        try manager.close()
        #expect(try Data(contentsOf: file.url) == bytes)
    }

    @Test func newerFileIsReadWithNamesOfOlderModel() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let swapped = ObjectModel(
                [MigrationTests.Swapped.Note.self, MigrationTests.Swapped.Folder.self],
                version: 3
            )
            try file.open(swapped).close()
            let error = #expect(throws: ObjectError.self) { try file.open(First.model) }
            #expect(error?.code == .storeIsNewer)
            try await reading(file, First.model) { manager in
                #expect(manager.unavailable == [])
                let notes = try manager.viewStorage.allObjects(ofType: First.Note.self)
                #expect(notes.map { $0.text } == (0..<50).map { "text \($0)" })
                #expect(notes.map { $0.title } == (0..<50).map { "É\($0)" })
                let folder = try #require(try manager.viewStorage.firstObject(ofType: First.Folder.self))
                #expect(folder.notes.map { $0.stars } == (0..<50).reversed())
                let found = try manager.viewStorage.allObjects(
                    ofType: First.Note.self,
                    matching: \First.Note.text == "text 7"
                )
                #expect(found.count == 1 && found.first?.folder === folder)
                let values = try await manager.fetchValues(ObjectRequest<First.Note>()) { $0.title }
                #expect(values.count == 50 && values.allSatisfy { $0.hasPrefix("É") })
            }
        }
    }

    @Test func renamedEntitiesAreReadByFormerNames() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let renamed = ObjectModel(
                [MigrationTests.RenamedEntities.Note.self, MigrationTests.RenamedEntities.Folder.self],
                version: 2
            )
            try file.open(renamed).close()
            try await reading(file, First.model) { manager in
                #expect(Set(manager.unavailable) == ["Note.stars", "Note.title", "Note.fax"])
                let folder = try #require(try manager.viewStorage.firstObject(ofType: First.Folder.self))
                #expect(folder.name == "folder")
                let plan = try await manager.withView { view in
                    try view.explain(ObjectRequest(\First.Note.text == "text 7")).plan
                }
                #expect(plan.contains { $0.contains("INDEX Folder.index.text") }, "\(plan)")
                #expect(folder.notes.map { $0.text } == (0..<50).reversed().map { "text \($0)" })
            }
        }
    }

    @Test func missingAttributeReadsAsDefault() async throws {
        try await withFile(of: StageTests.First.model, fill: StageTests.First.fill) { file in
            let plan = MigrationPlan(
                versions: .models([try StageTests.First.model.frozen()]),
                stages: [
                    MigrationStage(from: 1, to: 2) { migration in
                        try migration.migrate("Order") { _, new in new["cents"] = 5 }
                    }
                ]
            )
            try file.open(ObjectModel(StageTests.Second.entities, version: 2, plan: plan)).close()
            try await reading(file, StageTests.First.model) { manager in
                #expect(Set(manager.unavailable) == ["Order.total", "Order.customerName", "Order.phone"])
                let orders = try manager.viewStorage.allObjects(ofType: StageTests.First.Order.self)
                #expect(orders.allSatisfy { $0.total == 0 && $0.customerName == "" && $0.phone == nil })
                #expect(Set(orders.map { $0.state }) == ["placed", "sent"])
                #expect(orders.allSatisfy { $0.tags.count == 2 && $0.items.count == 3 })
                let order = try #require(orders.first { $0.number == 4 })
                #expect(order.items.map { $0.title } == ["item 4.2", "item 4.1", "item 4.0"])
            }
        }
    }

    @Test func fetchingMissingEntityThrows() async throws {
        try await withFile(of: StageTests.First.model, fill: StageTests.First.fill) { file in
            try file.open(ObjectModel(StageTests.WithoutFax.entities, version: 2, dropped: ["Fax"])).close()
            try await reading(file, StageTests.First.model) { manager in
                #expect(manager.unavailable == ["Fax"])
                let error = #expect(throws: ObjectError.self) {
                    try manager.viewStorage.allObjects(ofType: StageTests.First.Fax.self)
                }
                #expect(error?.code == .modelMismatch)
                #expect(throws: ObjectError.self) {
                    try manager.viewStorage.countObjects(ofType: StageTests.First.Fax.self)
                }
                let count = try manager.viewStorage.countObjects(ofType: StageTests.First.Item.self)
                #expect(count == 24)
            }
        }
    }

    @Test func olderFileIsReadWithoutMigration() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let later = ObjectModel(
                [MigrationTests.Retyped.Note.self, MigrationTests.Retyped.Folder.self],
                version: 2
            )
            try await reading(file, later) { manager in
                #expect(manager.unavailable == ["Note.identifier"])
                let notes = try manager.viewStorage.allObjects(ofType: MigrationTests.Retyped.Note.self)
                #expect(notes.map { $0.stars } == (0..<50).map { "\($0)" })
                let found = try manager.viewStorage.allObjects(
                    ofType: MigrationTests.Retyped.Note.self,
                    matching: \MigrationTests.Retyped.Note.stars == "7"
                )
                #expect(found.map { $0.text } == ["text 7"])
                #expect(try manager.verify().problems == [])
            }
            #expect(try await SchemaProbe.values(of: file.url, "SELECT version FROM larder_model") == ["1"])
        }
    }

    enum Measured {
        @Entity final class Value {
            var number: Int = 0
            var amount: Double = 0
            var text: String = ""
            var bytes: Data = Data()
            var moment: Date = Date(timeIntervalSinceReferenceDate: 0)
        }
        static let model = ObjectModel([Value.self])
        static func fill(_ storage: any WritableStorageType) throws {
            for (number, text) in ["7", "seven", "007"].enumerated() {
                let value = try storage.insertNewObject(ofType: Value.self)
                (value.number, value.amount, value.text) = (number, Double(number) + 0.5, text)
                value.bytes = Data([0xFF])
            }
        }
    }
    enum Remeasured {
        @Entity final class Value {
            var number: String = "none"
            var amount: Int = -1
            var text: Int = -1
            var bytes: String = "none"
            var moment: Bool = true
        }
    }

    @Test func valuesOfOtherTypeAreConvertedOrReported() async throws {
        try await withFile(of: Measured.model, fill: Measured.fill) { file in
            try await reading(file, ObjectModel([Remeasured.Value.self], version: 2)) { manager in
                // No date can be converted to a Boolean.
                #expect(manager.unavailable == ["Value.moment"])
                let issues = Box<[LarderIssue]>([])
                try withIssueHandler({ issues.value.append($0) }) {
                    let values = try manager.viewStorage.allObjects(ofType: Remeasured.Value.self)
                    #expect(values.map { $0.number } == ["0", "1", "2"])
                    #expect(values.map { $0.text } == [7, -1, -1])
                    #expect(values.map { $0.amount } == [-1, -1, -1])
                    #expect(values.map { $0.bytes } == ["none", "none", "none"])
                    #expect(values.allSatisfy { $0.moment })
                }
                #expect(issues.value.map(\.code) == Array(repeating: .notConvertible, count: 8))
                #expect(issues.value.first?.message.contains("Value/2.text") == true)
                let problems = try manager.verify().problems
                #expect(problems.count == 8 && problems.allSatisfy { $0.message.contains("can't be converted") })
            }
        }
    }

    @Test func readOnlyManagerRejectsEveryWrite() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            try await reading(file, First.model) { manager in
                #expect(manager.unavailable == [])
                let saved = await #expect(throws: ObjectError.self) {
                    try await manager.performAndSave { _ = try $0.insertNewObject(ofType: First.Note.self) }
                }
                #expect(saved?.code == .readOnly)
                let written = await #expect(throws: ObjectError.self) {
                    try await manager.write { try $0.execute(sql: "DELETE FROM Note") }
                }
                #expect(written?.code == .readOnly)
                let reset = #expect(throws: ObjectError.self) { try manager.reset() }
                #expect(reset?.code == .readOnly)
                #expect(try manager.viewStorage.countObjects(ofType: First.Note.self) == 50)
                #expect(try manager.verify().problems == [])
                let copy = file.folder.appendingPathComponent("copy.sqlite")
                try manager.backup(to: copy)
            }
        }
    }

    @Test func missingFileIsNotCreated() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("file.sqlite")
            let error = #expect(throws: ObjectError.self) {
                _ = try SQLiteStorageManager.openReadOnly(model: First.model, url: url)
            }
            #expect(error?.code == .inaccessible)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == [])
        }
    }
}
#endif
