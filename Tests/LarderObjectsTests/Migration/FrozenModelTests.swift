#if Objects
import Foundation
import LarderCore
@testable import LarderObjects
import Testing

/// Tests of versions of a model that are stored as JSON.
@Suite struct FrozenModelTests {
    enum Kind: String, Codable, Sendable, CaseIterable { case small, large }

    @Entity(unique: [["number"]], was: "Purchase", dropping: ["fax"], keeping: .newest) final class Order {
        @Attribute(.inexact, was: "a", "b", default: 1.5) var number: Double = 0.1
        @Attribute(default: Kind.large) var kind: Kind = .small
        var identifier: UUID = UUID()
        var bytes: Data = Data([1, 2])
        var note: String?
        @Relationship(was: "client", keeping: .oldest) var customer: Customer?
    }
    @Entity final class Customer {
        @Attribute(.unique(keeping: .oldest)) var name: String = ""
        @Relationship(inverse: \Order.customer) var orders: [Order]
    }

    private static let model = ObjectModel([Order.self, Customer.self], version: 3, dropped: ["Fax"])

    @Test func frozenModelRoundTripsThroughJSON() throws {
        let frozen = try Self.model.frozen()
        #expect(try FrozenModel(json: frozen.json()) == frozen)
        #expect(try FrozenModel(version: 3, descriptionText: frozen.descriptionText()) == frozen)
        #expect(frozen.version == 3)
        let order = try #require(frozen.declarations.entities["Order"])
        #expect(order.dropping == ["fax"] && order.keeping == .newest)
        #expect(order.attributes["number"]?.replacement == .constant(.real(1.5)))
        #expect(order.attributes["number"]?.initial == .constant(.real(0.1)))
        #expect(order.attributes["number"]?.isInexact == true)
        #expect(order.attributes["note"] == nil)
        #expect(order.relationships["customer"]?.keeping == .oldest)
        #expect(frozen.declarations.entities["Customer"]?.attributes["name"]?.keeping == .oldest)
        #expect(frozen.declarations.dropped == ["Fax"])
        let entity = try #require(frozen.schema.entities.first { $0.name == "Order" })
        #expect(entity.was == ["Purchase"])
        let kind = try #require(entity.columns.first { $0.name == "kind" })
        #expect(kind.valueType == "Kind" && kind.values == ["small", "large"])
        #expect(entity.columns.first { $0.name == "number" }?.was == ["a", "b"])
        #expect(entity.relationships.first?.was == ["client"])
    }

    @Test func varyingDefaultIsEvaluatedForEachRow() throws {
        let order = try #require(try Self.model.frozen().declarations.entities["Order"])
        #expect(order.attributes["identifier"]?.initial == .perRow)
        #expect(order.attributes["bytes"]?.initial == .constant(.blob(Data([1, 2]))))
    }

    @Test func freezingModelTwiceWritesSameBytes() async throws {
        try await withTemporaryFolder { folder in
            let models = folder.appendingPathComponent("Models")
            let url = try Self.model.freeze(in: models)
            #expect(url.lastPathComponent == "v3.json")
            let bytes = try Data(contentsOf: url)
            #expect(try Self.model.freeze(in: models) == url)
            #expect(try Data(contentsOf: url) == bytes)
            #expect(try FrozenModel(contentsOf: url) == Self.model.frozen())
            #expect(bytes.last == UInt8(ascii: "\n"))
        }
    }

    @Test func freezingDoesNotReplaceFileOfDifferentModel() async throws {
        try await withTemporaryFolder { folder in
            let url = try Shop.model.freeze(in: folder)
            let bytes = try Data(contentsOf: url)
            let error = #expect(throws: ObjectError.self) {
                try ObjectModel([Customer.self, Order.self], version: 1).freeze(in: folder)
            }
            #expect(error?.code == .invalidModel)
            #expect(try Data(contentsOf: url) == bytes)
        }
    }

    @Test func editedOrNewerFrozenModelIsRejected() throws {
        let text = String(decoding: try Self.model.frozen().json(), as: UTF8.self)
        for edited in [
            text.replacing("\"isRequired\" : true", with: "\"isRequired\" : false"),
            text.replacing("\"format\" : 1,", with: "\"format\" : 2,"), "[]",
        ] {
            #expect(edited != text)
            let error = #expect(throws: ObjectError.self) { try FrozenModel(json: edited.utf8) }
            #expect(error?.code == .invalidModel)
        }
    }

    @Test(arguments: [
        DefaultValue.constant(.null), .constant(.integer(-3)), .constant(.real(0.1)), .constant(.real(-.infinity)),
        .constant(.text("")), .constant(.blob(Data([0, 255]))), .perRow, .unstorable("NaN"),
    ])
    func defaultValueRoundTripsThroughJSON(_ value: DefaultValue) throws {
        let text = try JSONEncoder().encode(["x": value])
        #expect(try JSONDecoder().decode([String: DefaultValue].self, from: text) == ["x": value])
    }
}

/// Tests of invalid migration declarations in a model.
@Suite struct DeclarationTests {
    enum Names {
        @Entity(dropping: ["text", "items.order"], keeping: .newest) final class Note {
            var text = ""
            @Attribute(was: "first", "text") var other = ""
            @Attribute(was: "") var empty = ""
            @Attribute(default: Double.nan) var number: Double = 0
            @Relationship(inverse: \Item.note, ordered: true, keeping: .newest) var items: [Item]
        }
        @Entity(was: "Item") final class Item {
            @Attribute(was: "a", "b") var first = ""
            @Attribute(was: "a", "b") var second = ""
            @Relationship var note: Note?
        }
        @Entity(was: "Text", dropping: ["page"]) final class Line {
            @Attribute(was: "row") var page = 0
        }
    }

    @Test func everyInvalidMigrationDeclarationIsListed() throws {
        let model = ObjectModel(
            [Names.Note.self, Names.Item.self, Names.Line.self],
            dropped: ["Note", "Line", "Gone"]
        )
        let error = #expect(throws: ObjectError.self) { try model.frozen() }
        let number = "Note.number"
        let problems = (error?.problems ?? []).filter { !$0.contains(number) }
        #expect(
            Set(problems) == [
                "The entity Note is both in the model and in \"dropped\". Remove it from the model or from \"dropped\".",
                "Entity Item declares its own name as a former name. Remove \"was\".",
                "Note.text is both in the model and in \"dropping\". Remove it from the model or from \"dropping\".",
                "Note.items.order is both in the model and in \"dropping\". Remove it from the model or from \"dropping\".",
                "Note.empty declares an empty former name. Remove it.",
                "Note declares \"keeping\" without \"unique\". Remove \"keeping\", or add \"unique\".",
                "Note.items declares \"keeping\" but is to-many. Remove \"keeping\".",
                "Item.second and Item.first have the same former names, \"a\", \"b\". Remove \"was\" from one of them.",
            ]
        )
        #expect(error?.problems.count == problems.count + 1)
    }
}
#endif
