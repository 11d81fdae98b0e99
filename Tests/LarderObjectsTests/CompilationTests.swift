#if Objects
import LarderTestSupport
import Testing

/// Tests of code that must not compile, and of the expected diagnostics.
@Suite(.enabled(if: CompilerCheck.hasMacros))
struct CompilationTests {
    private static let shop = """
        import Foundation
        import LarderObjects

        @Entity final class Order {
            var number: Int64 = 0
            @Relationship(inverse: \\Item.order) var items: [Item]
        }
        @Entity final class Item {
            var name = ""
            @Relationship var order: Order?
        }

        """

    private func expectDiagnostics(of code: String, languageMode: String = "6") throws {
        let unexpected = try CompilerCheck.unexpectedErrors(of: Self.shop + code, languageMode: languageMode)
        #expect(unexpected.isEmpty, "\(unexpected)")
    }

    @Test func migrationDeclarationsCompile() throws {
        try expectDiagnostics(
            of: """
                enum Status: String, Codable, Sendable { case placed, sent }
                @Entity(was: "Purchase", "Sale", dropping: ["fax"]) final class Invoice {
                    @Attribute(was: "a") var one = ""
                    @Attribute(.indexed, was: "b", "c") var two: Int = 0
                    @Attribute(default: 0) var three: Int
                    @Attribute(.inexact, .unique(keeping: .newest), was: "d", default: Status.placed) var four: Status = .sent
                    @Attribute(default: Int?.none) var five: Int?
                }
                """
        )
    }

    @Test func writingThroughViewDoesNotCompile() throws {
        try expectDiagnostics(
            of: """
                func write(_ manager: any StorageManagerType, _ order: Order) throws {
                    _ = try manager.viewStorage.insertNewObject(ofType: Order.self)  // expected-error {{value of type 'any StorageType' has no member 'insertNewObject'}}
                    try manager.viewStorage.deleteObject(order)  // expected-error {{has no member 'deleteObject'}}
                    try manager.viewStorage.deleteAllObjects(ofType: Order.self)  // expected-error {{has no member 'deleteAllObjects'}}
                    try manager.viewStorage.saveIfNeeded()  // expected-error {{has no member 'saveIfNeeded'}}
                    _ = try manager.viewStorage.countObjects(ofType: Order.self)
                }
                """
        )
    }

    @Test func writingThroughViewContextDoesNotCompile() throws {
        try expectDiagnostics(
            of: """
                @MainActor func write(_ manager: SQLiteStorageManager, _ order: Order) throws {
                    _ = try manager.viewContext.insertNewObject(ofType: Order.self)  // expected-error {{value of type 'ViewContext' has no member 'insertNewObject'}}
                    try manager.viewContext.deleteObject(order)  // expected-error {{has no member 'deleteObject'}}
                }
                func write(_ manager: SQLiteStorageManager) async throws {
                    try await manager.withView { view in
                        _ = try view.countObjects(ofType: Order.self)
                        _ = try view.insertNewObject(ofType: Order.self)  // expected-error {{value of type 'ViewContext' has no member 'insertNewObject'}}
                    }
                }
                """
        )
    }

    @Test func returningObjectFromPerformAndSaveDoesNotCompile() throws {
        try expectDiagnostics(
            of: """
                func leave(_ manager: any StorageManagerType) async throws {
                    _ = try await manager.performAndSave { storage in try storage.insertNewObject(ofType: Order.self) }  // expected-error {{conformance of 'Order' to 'Sendable' is unavailable}}
                    _ = try await manager.performAndSave { storage in try storage.firstObject(ofType: Order.self) }  // expected-error {{conformance of 'Order' to 'Sendable' is unavailable}}
                    _ = try await manager.performAndSave { storage in try storage.allObjects(ofType: Order.self) }  // expected-error {{conformance of 'Order' to 'Sendable' is unavailable}}
                    _ = try await manager.performAndSave { storage in ["key": try storage.insertNewObject(ofType: Order.self)] }  // expected-error {{conformance of 'Order' to 'Sendable' is unavailable}}
                    _ = try await manager.performAndSave { storage in (1, try storage.insertNewObject(ofType: Order.self)) }  // expected-error {{conformance of 'Order' to 'Sendable' is unavailable}}
                    _ = try await manager.performAndSave { storage -> Any in try storage.insertNewObject(ofType: Order.self) }  // expected-error {{type 'Any' does not conform to the 'Sendable' protocol}}
                    _ = try await manager.performAndSave { storage in try storage.insertNewObject(ofType: Order.self).objectID }
                }
                """
        )
    }

    @Test func passingObjectToCompletionDoesNotCompile() throws {
        try expectDiagnostics(
            of: """
                func leave(_ manager: any StorageManagerType) {
                    manager.performAndSave(  // expected-error {{conformance of 'Order' to 'Sendable' is unavailable}}
                        { storage in try storage.insertNewObject(ofType: Order.self) },
                        completion: { (result: Result<Order, any Error>) in _ = result },
                        on: .main
                    )
                    manager.performAndSave(
                        { storage in try storage.insertNewObject(ofType: Order.self).number },
                        completion: { result in _ = result },
                        on: .main
                    )
                }
                """
        )
    }

    @Test func storingObjectInCapturedVariableDoesNotCompile() throws {
        try expectDiagnostics(
            of: """
                func keep(_ manager: any StorageManagerType) async throws {
                    var order: Order?
                    var writer: (any WritableStorageType)?
                    try await manager.performAndSave { storage in
                        order = try storage.firstObject(ofType: Order.self)  // expected-error {{mutation of captured var 'order'}} expected-error {{capture of 'order' with non-Sendable type}}
                        writer = storage  // expected-error {{mutation of captured var 'writer'}} expected-error {{capture of 'writer' with non-Sendable type}}
                    }
                    _ = (order, writer)
                }
                """
        )
    }

    @Test func capturingViewObjectInPerformAndSaveDoesNotCompile() throws {
        try expectDiagnostics(
            of: """
                func enter(_ manager: any StorageManagerType) async throws {
                    guard let order = try manager.viewStorage.firstObject(ofType: Order.self) else { return }
                    try await manager.performAndSave { storage in
                        order.number = 1  // expected-error {{capture of 'order' with non-Sendable type 'Order'}}
                    }
                    let view = manager.viewStorage
                    try await manager.performAndSave { storage in
                        _ = try view.countObjects(ofType: Order.self)  // expected-error {{capture of 'view' with non-Sendable type 'any StorageType'}}
                    }
                }
                """
        )
    }

    @Test func returningObjectFromPerformAndSaveWarnsInSwift5Mode() throws {
        try expectDiagnostics(
            of: """
                func leave(_ manager: any StorageManagerType) async throws {
                    _ = try await manager.performAndSave { storage in try storage.allObjects(ofType: Order.self) }  // expected-warning {{conformance of 'Order' to 'Sendable' is unavailable}}
                }
                """,
            languageMode: "5"
        )
    }

    @Test func inverseDeclaredOnBothSidesDoesNotCompile() throws {
        try expectDiagnostics(
            of: """
                @Entity final class Author {
                    @Relationship(inverse: \\Book.author) var books: [Book]  // expected-error {{circular reference resolving attached macro 'Relationship'}} expected-error {{unknown attribute 'Relationship'}}
                }
                @Entity final class Book {
                    @Relationship(inverse: \\Author.books) var author: Author?
                }
                """
        )
    }

    @Test func subclassOfEntityDoesNotCompile() throws {
        let text = try CompilerCheck.diagnostics(
            of: Self.shop + """
                struct Price: Sendable { var amount: Decimal }
                @Entity final class Special: Order { var price = 0 }
                @Entity(bridges: Price.self) final class StoredPrice: Item { var amount: Decimal = 0 }
                """
        )
        #expect(!text.contains("Stack dump"), "\(text.prefix(400))")
        for name in ["Order", "Item"] {
            #expect(
                text.contains("error: An @Entity class can't inherit from '\(name)', which is an entity"),
                "\(text)"
            )
        }
    }

    @Test func entityCanConformToProtocols() throws {
        try expectDiagnostics(
            of: """
                protocol Named { var name: String { get } }
                @Entity final class Shop: Named, CustomStringConvertible {
                    var name = ""
                    var description: String { name }
                }
                """
        )
    }

    @Test func propertyMissingFromStructDoesNotCompile() throws {
        let text = try CompilerCheck.diagnostics(
            of: Self.shop + """
                struct Price: Sendable { var amount: Decimal }
                @Entity(bridges: Price.self) final class StoredPrice {
                    var amount: Decimal = 0
                    var currency = "EUR"
                }
                """
        )
        #expect(text.contains("error: value of type 'Price' has no member 'currency'"), "\(text)")
    }

    @Test func propertyMissingFromEntityDoesNotCompile() throws {
        let text = try CompilerCheck.diagnostics(
            of: Self.shop + """
                struct Price: Sendable { var amount: Decimal; var currency: String }
                @Entity(bridges: Price.self) final class StoredPrice {
                    var amount: Decimal = 0
                }
                """
        )
        #expect(text.contains("error: missing argument for parameter 'currency' in call"), "\(text)")
    }

    @Test func filterForAnotherEntityDoesNotCompile() throws {
        try expectDiagnostics(
            of: """
                func find(_ manager: any StorageManagerType) throws {
                    _ = try manager.viewStorage.allObjects(ofType: Order.self, matching: \\Item.name == "tea")  // expected-error {{cannot convert value of type}}
                    _ = try manager.viewStorage.allObjects(ofType: Order.self, matching: \\.number == 1)
                }
                """
        )
    }
}
#endif
