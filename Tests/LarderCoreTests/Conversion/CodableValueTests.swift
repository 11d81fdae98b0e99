import Foundation
import LarderCore
import Testing

@Suite struct CodableValueTests {
    private struct Profile: Codable, Equatable {
        var name: String
        var age: Int
    }

    private struct Unencodable: Encodable {
        func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }

    private let store = TestStore()

    @Test func codableValueIsStoredAsSortedJSON() throws {
        try store.set(Profile(name: "Ann", age: 36), for: "p")
        #expect(try store.get("p") == .data(Data(#"{"age":36,"name":"Ann"}"#.utf8)))
        #expect(try store.value(Profile.self, for: "p") == Profile(name: "Ann", age: 36))
    }

    @Test func storedJSONStringIsDecodedAsCodableValue() throws {
        try store.set(#"{"name":"Ann","age":36}"#, for: "p")
        #expect(try store.value(Profile.self, for: "p") == Profile(name: "Ann", age: 36))
    }

    @Test func absentCodableValueIsNil() throws {
        #expect(try store.value(Profile.self, for: "p") == nil)
        #expect(try store.transaction { try $0.value(Profile.self, for: "p") } == nil)
    }

    @Test func decodingInvalidJSONThrows() throws {
        try store.set(Data([1, 2, 3]), for: "p")
        let error = #expect(throws: CoreError.DataSerialization.self) { try store.value(Profile.self, for: "p") }
        #expect(error?.underlying != nil)
        #expect(error?.description.contains(#""p""#) == true)
        #expect(try store.get("p") == .data(Data([1, 2, 3])))
    }

    @Test func numberDoesNotConvertToCodableValue() throws {
        try store.set(1, for: "p")
        let error = #expect(throws: CoreError.NotFound.self) { try store.value(Profile.self, for: "p") }
        #expect(error?.reason == .notConvertible(stored: .int, asked: "Profile"))
    }

    @Test func failedEncodingKeepsStoredValue() throws {
        try store.set(1, for: "p")
        let error = #expect(throws: StoreError.self) { try store.set(Unencodable(), for: "p") }
        #expect(error?.code == .unsupportedValue)
        #expect(error?.key == "p")
        #expect(error?.underlying is CancellationError)
        #expect(throws: StoreError.self) { try store.transaction { try $0.set(Unencodable(), for: "p") } }
        #expect(try store.get("p") == 1)
    }

    @Test func writingNilThrowsAndNonNilOptionalIsUnwrapped() throws {
        try store.set(1, for: "n")
        for value in [nil, 2] as [Int?] {
            guard value == nil else {
                try store.set(value, for: "n")
                continue
            }
            let error = #expect(throws: StoreError.self) { try store.set(value, for: "n") }
            #expect(error?.code == .unsupportedValue)
            #expect(error?.message.contains("remove(_:)") == true)
            #expect(try store.get("n") == 1)
        }
        #expect(try store.get("n") == 2)
        #expect(throws: StoreError.self) { try store.set(Int??.some(nil), for: "n") }
        #expect(throws: StoreError.self) { try store.transaction { try $0.set(Profile?.none, for: "n") } }
    }

    /// In generic code, the compiler chooses the `Codable` overload even for types that conform to `StorableValue`.
    @Test func genericCodeStoresStorableValuesWithoutEncoding() throws {
        func roundTrip<Value: Codable>(_ value: Value) throws -> Value? {
            try store.set(value, for: "v")
            return try store.value(Value.self, for: "v")
        }
        #expect(try roundTrip(3) == 3)
        #expect(try store.get("v") == .int(3))
        #expect(try roundTrip(["a": [1.5]]) == ["a": [1.5]])
        #expect(try store.get("v") == ["a": [1.5]])
        #expect(try roundTrip(StoredValue.url("https://example.org")) == .url("https://example.org"))
        #expect(try store.get("v") == .url("https://example.org"))
        #expect(try roundTrip([Profile(name: "Ann", age: 36)]) == [Profile(name: "Ann", age: 36)])
    }

    @Test func codableValueIsWrittenWithRequestedDurability() async throws {
        func set() throws { try store.set(Profile(name: "Ann", age: 36), for: "p", durability: .synced) }
        try set()
        try await store.set(Profile(name: "Bob", age: 40), for: StoreKey("q"), durability: .synced)
        #expect(store.durabilities == [.synced, .synced])
        #expect(try store.value(Profile.self, for: "q")?.name == "Bob")
    }

    @Test func rawStoredValueCanBeWrittenAndRead() throws {
        try store.set([1, "a"] as [StoredValue], for: "list")
        #expect(try store.value([StoredValue].self, for: "list") == [1, "a"])
        #expect(try store.value([String: StoredValue].self, for: "none") == nil)
        #expect(try store.value(StoredValue.self, for: "list", policy: .strict) == [1, "a"])
    }
}
