#if Objects
import Testing

@Suite struct EntityMacroTests {
    @Test func entityMacroGeneratesMembersAndMarksSendableUnavailable() {
        let text = Expansion(
            """
            @Entity(unique: [["number"]]) public final class Order {
                var number: Int64
                @Attribute(.indexed, was: "remark") var note: String?
                @Attribute(.transient) var scratch = 0
                @Relationship(deleteRule: .cascade, inverse: \\Item.order, ordered: true) var items: [Item]
                @Relationship var customer: Customer?
                var title: String { "\\(number)" }
            }
            """
        ).text
        let expected = [
            "public let objectState: LarderObjects.ObjectState",
            "public init(objectState state: LarderObjects.ObjectState)",
            "LarderObjects.EntityDescription(Order.self, name: \"Order\", unique: [[\"number\"]], properties: [",
            "attribute(\"number\", \\Order.number, LarderObjects.AttributeCodings.of((Int64).self))",
            "attribute(\"note\", \\Order.note, LarderObjects.AttributeCodings.of((String?).self), options: [.indexed], was: [\"remark\"], default: {",
            "relationship(\"items\", \\Order.items, inverse: \\Item.order, deleteRule: .cascade, ordered: true)",
            "@LarderObjects.EntityAttribute(1)",
            "@LarderObjects.EntityRelationship(0)",
            "@LarderObjects.EntityRelationship(1)",
            "public func addToItems(_ objects: Item...)",
            "public func removeFromItems(_ objects: Item...)",
            "extension Order: LarderObjects.Object",
            "@available(*, unavailable)",
            "extension Order: @unchecked Sendable",
        ]
        for part in expected { #expect(text.contains(part), "\(part)") }
        #expect(!text.contains("\"scratch\"") && !text.contains("\"title\""))
    }

    @Test func migrationArgumentsArePassedToEntityDescription() {
        let text = Expansion(
            """
            @Entity(unique: [["a"]], was: "Old", "Older", dropping: ["fax"], keeping: .newest) final class A {
                @Attribute(.inexact, .unique(keeping: .oldest), was: "x", "y", default: Status.placed) var a: Status = .sent
                @Attribute(default: 0) var b: Int
                @Relationship(inverse: \\B.a, was: "one", "two", keeping: .oldest) var c: B?
            }
            """
        ).text
        let expected = [
            "name: \"A\", unique: [[\"a\"]], was: [\"Old\", \"Older\"], dropping: [\"fax\"], keeping: .newest, properties: [",
            "options: [.inexact, .unique(keeping: .oldest)], was: [\"x\", \"y\"], replacement: {", "Status.placed",
            "AttributeCodings.of((Int).self), replacement: {",
            "relationship(\"c\", \\A.c, inverse: \\B.a, was: [\"one\", \"two\"], keeping: .oldest)",
        ]
        for part in expected { #expect(text.contains(part), "\(part)") }
    }

    @Test func preservedValuesArePassedToEntityDescription() {
        for (macro, declaration) in [("@Entity", "final class A"), ("@Persistable", "struct A")] {
            let text = Expansion(
                "\(macro) \(declaration) { @Attribute(.unique, .preserveValueOnDeletion) var a: Int = 0 }"
            ).text
            // A struct's attributes are declared again in its class.
            #expect(
                text.contains("options: [.unique, .preserveValueOnDeletion]")
                    || text.contains("@Attribute(.unique, .preserveValueOnDeletion)"),
                "\(text)"
            )
        }
    }

    @Test func persistableMacroPassesFormerNamesToStoredClass() {
        let text = Expansion(
            "@Persistable(was: \"Old\", \"Older\", dropping: [\"x\"]) struct A { @Attribute(was: \"z\", default: 1) var a: Int }"
        ).text
        #expect(text.contains("was: [\"StoredOld\", \"StoredOlder\"], dropping: [\"x\"]"))
        #expect(text.contains("was: [\"z\"], replacement: {"))
    }

    @Test func generatedExtensionsAreNonisolated() {
        let text = Expansion("@Entity(bridges: B.self) nonisolated final class A { var a = 0 }").text
        for part in [
            "nonisolated extension A: LarderObjects.Object", "nonisolated extension A: @unchecked Sendable",
            "nonisolated extension A: LarderObjects.ReadOnlyConvertible", "typealias ReadOnlyType = B",
        ] { #expect(text.contains(part), "\(part)") }
    }

    @Test func escapedPropertyNamesKeepBackticks() {
        let text = Expansion(
            """
            @Entity final class `a b` {
                var `c "d"`: Int = 0
                @Relationship var `e f`: [G]
            }
            """
        ).text
        for part in [
            "EntityDescription(`a b`.self, name: \"a b\"", "attribute(\"c \\\"d\\\"\", \\`a b`.`c \"d\"`,",
            "relationship(\"e f\", \\`a b`.`e f`",
        ] { #expect(text.contains(part), "\(part)") }
        #expect(!text.contains("addTo"))
    }

    @Test func storedClassNameOfNestedStructIsQualified() {
        let text = Expansion("enum Shop { @Persistable struct Basket { var id = 0 } }").text
        #expect(
            text.contains("typealias StoredObject = Shop.StoredBasket") || text.contains("StoredObject = StoredBasket")
        )
    }

    @Test func attributeMacroGeneratesAccessors() {
        let text = Expansion("final class A { @EntityAttribute(3) var count: Int = 7 }").text
        #expect(text.contains("objectState.value(3, LarderObjects.AttributeCodings.of((Int).self), default: 7)"))
        #expect(text.contains("objectState.setValue(3, LarderObjects.AttributeCodings.of((Int).self), newValue)"))
        #expect(!text.contains("var count: Int = 7"))
    }

    @Test(arguments: [("B?", "one", "setOne"), ("B", "requiredOne", "setOne"), ("[B]", "many", "setMany")])
    func relationshipMacroGeneratesAccessors(_ type: String, _ get: String, _ set: String) {
        let text = Expansion("final class A { @EntityRelationship(2) @Relationship var b: \(type) }").text
        #expect(text.contains("objectState.\(get)(2, B.self)"))
        #expect(text.contains("objectState.\(set)(2, newValue)"))
    }

    @Test func bridgesArgumentGeneratesConversions() {
        let text = Expansion(
            """
            @Entity(bridges: Net.Order.self) public final class Order {
                var number: Int64
                @Attribute(.unbridged) var isRead = false
                @Relationship(deleteRule: .cascade, inverse: \\Item.order) var items: [Item]
                @Relationship var customer: Customer?
            }
            """
        ).text
        let expected = [
            "public func update(with value: Net.Order)", "self.number = value.number",
            "objectState.updateMany(0, Item.self, with: value.items)", "public func toReadOnly() -> Net.Order",
            "Net.Order(number: self.number, items: self.items.map {", "public typealias ReadOnlyType = Net.Order",
            "LarderObjects.AttributeCodings.of((Int64).self).encode(value.number)",
        ]
        for part in expected { #expect(text.contains(part), "\(part)") }
        #expect(!text.contains("value.isRead") && !text.contains("value.customer"))
        #expect(!text.contains("readOnlyValue"))
    }

    @Test func persistableMacroGeneratesStoredClass() {
        let text = Expansion(
            """
            @Persistable(unique: [["id"]], parent: Cart.self, named: "cart") public struct Line {
                let id: Int
                var name = ""
                @Relationship(deleteRule: .cascade, inverse: "line", ordered: true) var notes: [Note]
                let format = 1
            }
            """
        ).text
        let expected = [
            "public final class StoredLine", "var id: Int", "var notes: [StoredNote]", "var cart: StoredCart?",
            "public typealias StoredObject = StoredLine", "Line(id: self.id, name: self.name",
        ]
        for part in expected { #expect(text.contains(part), "\(part)") }
        #expect(!text.contains("var format"))
    }

    @Test func persistableMacroRejectsClass() {
        #expect(
            Expansion("@Persistable final class A {}").messages.first?.contains("can only be applied to a struct")
                == true
        )
    }

    @Test func entityMacroRejectsStruct() {
        let messages = Expansion("@Entity struct A { var x = 0 }").messages
        #expect(messages.count == 1 && messages[0].hasPrefix("@Entity can only be applied to a class"))
    }

    @Test func nonFinalEntityClassOffersFixIt() {
        let expansion = Expansion("@Entity public class A { var x = 0 }")
        #expect(expansion.messages == ["An @Entity class must be final"])
        #expect(expansion.fixes.values.first?.contains("public final class A") == true)
    }

    @Test func constantPropertyOffersFixIt() {
        let expansion = Expansion("@Entity final class A { let x: Int }")
        #expect(expansion.messages.count == 1)
        #expect(expansion.fixes["Change 'let' to 'var'"]?.contains("var x: Int") == true)
    }

    @Test func requiredPropertyWithoutDefaultOffersFixIt() {
        let expansion = Expansion("@Entity final class A { var status: Status }")
        #expect(expansion.messages == ["A property of type 'Status' needs a default value, or must be optional"])
        #expect(expansion.fixes["Make the property optional"]?.contains("var status: Status?") == true)
    }

    @Test(arguments: ["() -> Void", "(Int, Int)", "any Error", "Any", "[Any]"])
    func propertyOfUnstorableTypeIsRejected(_ type: String) {
        let messages = Expansion("@Entity final class A { var x: \(type) = y }").messages
        #expect(messages.count == 1 && messages[0].contains("can't be stored"))
    }

    @Test func propertyObserversAreRejected() {
        #expect(Expansion("@Entity final class A { var x = 0 { didSet {} } }").messages.count == 1)
    }

    @Test func genericEntityClassIsRejected() {
        #expect(
            Expansion("@Entity final class A<T> { var x = 0 }").messages == [
                "An @Entity class can't be generic; remove the generic parameters"
            ]
        )
    }

    @Test(arguments: ["@Attribute(.transient, .unique)", "@Attribute(.transient, was: \"y\")"])
    func transientPropertyRejectsOtherOptions(_ marker: String) {
        let messages = Expansion("@Entity final class A { \(marker) var x = 0 }").messages
        #expect(messages == ["A transient property is not stored and can't have other options; remove these options"])
    }

    @Test func transientPropertyNeedsDefault() {
        let messages = Expansion("@Entity final class A { @Attribute(.transient) var x: Int }").messages
        #expect(messages == ["A transient property needs a default value"])
        #expect(Expansion("@Entity final class A { @Attribute(.transient) var x: Int? }").messages.isEmpty)
    }

    @Test func untypedOrJointlyDeclaredPropertyIsRejected() {
        #expect(Expansion("@Entity final class A { var x = make() }").messages.count == 1)
        #expect(Expansion("@Entity final class A { var x = 0, y = 1 }").messages.count == 1)
    }

    @Test(arguments: ["[B?]", "Set<B>"]) func relationshipOfUnsupportedTypeIsRejected(_ type: String) {
        #expect(Expansion("@Entity final class A { @Relationship var x: \(type) }").messages.count == 1)
    }

    @Test func validEntityClassHasNoDiagnostics() {
        let source =
            "@Entity final class A { var a: Int; var b: Date?; static let c = 1; lazy var d = 2; var e: Int { 1 } }"
        #expect(Expansion(source).messages.isEmpty)
    }
}
#endif
