import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import Testing

/// Tests of the lines in `StoreLines.swift`.
///
/// The lines are compiled here for `any KeyValueStore` and below for every other store.
@Suite struct StoreLinesTests {
    @Test func blockingCallsStoreDocumentedValues() throws {
        let store = MemoryStore()
        try storeLines(store)
        #expect(try store.get("integer") == 4)
        #expect(try store.get("fraction") == 2.5)
        #expect(try store.get("b") == "a")
        #expect(try store.get("mixed") == [1, "a", [true]])
        #expect(try store.get("fractions") == [1.0, 2.5])
        #expect(try store.get("empty list") == [])
        #expect(try store.get("key-7") == 2.5)
        #expect(try store.get("key-7-3") == "value 7")
        #expect(try store.get("copy") == 2.5)
        #expect(try store.get("sum") == 39)
        #expect(try store.value(LineProfile.self, for: "profile") == LineProfile(name: "Ann"))
        #expect(try store.value(LineTheme.self, for: "theme") == .dark)
        #expect(store.verify().isIntact)
    }

    @Test func asynchronousCallsStoreDocumentedValues() async throws {
        let store = MemoryStore()
        try await suspendingStoreLines(store)
        let model = StoreLinesModel()
        try await model.increment(store)
        try await model.increment(store)
        let count = await model.count
        #expect(count == 2)
        #expect(try store.get("n") == 2)
        #expect(try store.get("count") == 2)
        #expect(store.verify().isIntact)
    }

    /// The names of all stores.
    ///
    /// Without the package trait `Encryption`, there is no `EncryptedStore`.
    private static let stores: [String] = {
        let stores = [
            "any KeyValueStore", "some KeyValueStore", "DeviceStore", "MemoryStore", "PropertyListStore",
            "SharedPreferencesStore", "PrefixedStore",
        ]
        #if Encryption
        return stores + ["EncryptedStore"]
        #else
        return stores
        #endif
    }()

    private static func lines(of store: String) throws -> String {
        let lines = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "StoreLines.swift")
        return try String(contentsOf: lines, encoding: .utf8).replacing("any KeyValueStore", with: store)
    }

    @Test(.enabled(if: CompilerCheck.isPossible), arguments: stores, ["6", "5"])
    func typicalCodeCompilesForEveryStore(store: String, languageMode: String) throws {
        #expect(try CompilerCheck.diagnostics(of: Self.lines(of: store), languageMode: languageMode) == "")
    }

    @Test(.enabled(if: CompilerCheck.isPossible), arguments: ["6", "5"])
    func settingNilOrUnsupportedTypesDoesNotCompile(languageMode: String) throws {
        let code = """
            import LarderCore
            struct Other {}
            func lines(_ store: any KeyValueStore) throws {
                try store.set(nil, for: "k")  // expected-error {{'nil' is not compatible}}
                try store.set(Other(), for: "k")  // expected-error {{conform to 'StorableValue'}}
                _ = try store.value(Other.self, for: "k")  // expected-error {{conform to 'StorableValue'}}
            }
            """
        #expect(try CompilerCheck.unexpectedErrors(of: code, languageMode: languageMode) == "")
    }

    @Test(.enabled(if: CompilerCheck.isPossible))
    func blockingMethodsAreUnavailableInAsynchronousCode() throws {
        let code = """
            import LarderCore
            func lines(_ store: any KeyValueStore) async throws {
                try store.transaction(durability: .synced) { _ in }  // expected-error {{not marked with 'await'}}
                try store.set(1, for: "k", durability: .synced)  // expected-error {{not marked with 'await'}}
            }
            """
        #expect(try CompilerCheck.unexpectedErrors(of: code) == "")
    }
}
