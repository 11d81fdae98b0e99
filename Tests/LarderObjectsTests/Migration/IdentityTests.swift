#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of object ids that remain valid when migrations rename entities.
@Suite struct IdentityTests {
    enum First {
        @Entity final class Note { var text = "" }
        @Entity final class Page { var text = "" }
        static let model = ObjectModel([Note.self, Page.self])
        static func fill(_ storage: any WritableStorageType) throws {
            try storage.insertNewObject(ofType: Note.self).text = "note"
            try storage.insertNewObject(ofType: Page.self).text = "page"
        }
    }
    enum Renamed {
        @Entity(was: "Note") final class Memo { var text = "" }
        @Entity final class Page { var text = "" }
        static let model = ObjectModel([Memo.self, Page.self], version: 2)
    }
    enum Forgotten {
        @Entity final class Memo { var text = "" }
        @Entity final class Page { var text = "" }
        static let model = ObjectModel([Memo.self, Page.self], version: 3)
    }
    enum RenamedAgain {
        @Entity(was: "Memo") final class Letter { var text = "" }
        @Entity final class Page { var text = "" }
        static let model = ObjectModel([Letter.self, Page.self], version: 4)
    }
    enum Swapped {
        @Entity(was: "Page") final class Note { var text = "" }
        @Entity(was: "Note") final class Page { var text = "" }
        static let model = ObjectModel([Note.self, Page.self], version: 2)
    }

    private let note = ObjectID(entityName: "Note", rowID: 1)
    private let page = ObjectID(entityName: "Page", rowID: 2)

    @Test func objectIsFoundByIDWithFormerEntityName() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            let isEqual = try await file.migrate(to: Renamed.model) { manager in
                let memo = try #require(try manager.viewStorage.loadObject(ofType: Renamed.Memo.self, with: note))
                #expect(memo.text == "note" && memo.objectID.description == "Memo/1")
                #expect(try manager.viewStorage.loadObject(ofType: Renamed.Memo.self, with: page) == nil)
                #expect(try manager.viewStorage.loadObject(ofType: Renamed.Page.self, with: page)?.text == "page")
            }
            #expect(isEqual)
        }
    }

    @Test func formerNameIsResolvedEvenIfOmittedByModel() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            for model in [Renamed.model, Forgotten.model] { try file.open(model).close() }
            let isEqual = try await file.migrate(to: RenamedAgain.model) { manager in
                for name in ["Note", "Memo", "Letter"] {
                    let id = ObjectID(entityName: name, rowID: 1)
                    let letter = try manager.viewStorage.loadObject(ofType: RenamedAgain.Letter.self, with: id)
                    #expect(letter?.text == "note")
                }
            }
            #expect(isEqual)
        }
    }

    @Test func idsRemainValidAfterEntitiesSwapNames() async throws {
        try await withFile(of: First.model, fill: First.fill) { file in
            for _ in 0..<2 {
                let isEqual = try await file.migrate(to: Swapped.model) { manager in
                    let view = manager.viewStorage
                    let found = try view.loadObject(ofType: Swapped.Page.self, with: note)
                    #expect(found?.text == "note")
                    #expect(try view.loadObject(ofType: Swapped.Note.self, with: page)?.text == "page")
                    #expect(try view.loadObject(ofType: Swapped.Note.self, with: note) == nil)
                }
                #expect(isEqual)
            }
        }
    }

    @Test func format1FileHasNoFormerNames() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("v1.sqlite")
            try FileManager.default.copyItem(at: GoldenObjectFileTests.file("objects-v1.sqlite"), to: url)
            let manager = try MigratingFile(url: url, folder: folder).open(GoldenModel.model)
            let id = ObjectID(entityName: "Disc", rowID: 1)
            #expect(try manager.viewStorage.loadObject(ofType: GoldenModel.Album.self, with: id) == nil)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }
}
#endif
