#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

enum Level: Int, Sendable {
    case low = 1, high = 10
}

@Entity
final class Everything {
    var int8: Int8 = 0
    var int16: Int16 = 0
    var int32: Int32 = 0
    var int64: Int64 = 0
    var int: Int = 0
    var uint8: UInt8 = 0
    var uint64: UInt64 = 0
    var double: Double = 0
    var float: Float = 0
    var bool = false
    var string = "none"
    var data: Data = Data()
    var date: Date = Date.distantPast
    var url: URL?
    var uuid: UUID = UUID()
    var decimal: Decimal = 0
    var level: Level = .low
    var maybeLevel: Level?
    var address: Address = Address()
    var maybeAddress: Address?
    var words: [String] = []
    var dates: [Date] = []
    var maybeInt: Int?
    var maybeDouble: Double?
    @Attribute(.transient) var scratch = 0
}

@Suite struct AttributeTests {
    private static let model = ObjectModel([Everything.self])

    /// Stores a value, and returns it as an instance in another context reads it.
    private func stored<Value: Sendable>(
        _ property: any ReferenceWritableKeyPath<Everything, Value> & Sendable,
        _ value: Value
    ) async throws -> Value {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                let object = try storage.insertNewObject(ofType: Everything.self)
                object[keyPath: property] = value
            }
            let object = try #require(try manager.viewStorage.firstObject(ofType: Everything.self))
            return object[keyPath: property]
        }
    }

    @Test func minimumAndMaximumIntegersRoundTrip() async throws {
        #expect(try await stored(\.int8, .min) == .min)
        #expect(try await stored(\.int16, .max) == .max)
        #expect(try await stored(\.int32, .min) == .min)
        #expect(try await stored(\.int64, .min) == .min)
        #expect(try await stored(\.int, .max) == .max)
        #expect(try await stored(\.uint8, .max) == .max)
        #expect(try await stored(\.uint64, .max) == .max)
    }

    @Test(arguments: [0.1, -1.0 / 3, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, 3.0])
    func doublesRoundTripExactly(_ value: Double) async throws {
        #expect(try await stored(\.double, value).bitPattern == value.bitPattern)
    }

    @Test(arguments: [0.1, -123_456_789.987654321, 700_000_000.000000119, -0.5])
    func datesRoundTripExactly(_ seconds: Double) async throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(try await stored(\.date, date).timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern)
    }

    @Test(arguments: [
        "0", "1.50", "-1.5", "0.00000000000000000000000000000000000001", "12345678901234567890123456789012345678",
        "-99999999999999999999.99",
        "1e100", "-1e-100", "3.14159265358979323846",
    ])
    func decimalsRoundTripExactly(_ text: String) async throws {
        let value = try #require(Decimal(string: text))
        #expect(try await stored(\.decimal, value) == value)
    }

    @Test func decimalsSortNumerically() async throws {
        let texts = [
            "-100", "-99.9", "-1.51", "-1.5", "-0.001", "0", "0.0001", "0.5", "1", "1.5", "1.51", "9", "10", "1e20",
        ]
        let values = try texts.map { try #require(Decimal(string: $0)) }
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                for value in values.shuffled() { try storage.insertNewObject(ofType: Everything.self).decimal = value }
            }
            let sorted = try manager.viewStorage.allObjects(
                ofType: Everything.self,
                sortedBy: [SortDescriptor(\.decimal)]
            )
            #expect(sorted.map(\.decimal) == values)
            let limit = Decimal(string: "1.50") ?? 0
            #expect(try manager.viewStorage.countObjects(ofType: Everything.self, matching: \.decimal > limit) == 4)
        }
    }

    @Test func unsignedIntegersSortNumerically() async throws {
        let values: [UInt64] = [0, 5, UInt64(Int64.max), UInt64(Int64.max) + 1, 10_000_000_000_000_000_000, .max]
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                for value in values.shuffled() { try storage.insertNewObject(ofType: Everything.self).uint64 = value }
            }
            let sorted = try manager.viewStorage.allObjects(
                ofType: Everything.self,
                sortedBy: [SortDescriptor(\.uint64)]
            )
            #expect(sorted.map(\.uint64) == values)
        }
    }

    @Test(arguments: ["", "a\u{0}b", "e\u{301}", "👩‍👩‍👧‍👦", "\r\n", "'\"%_"])
    func stringsRoundTrip(_ text: String) async throws { #expect(try await stored(\.string, text) == text) }

    @Test func booleansDataURLsEnumsAndCodablesRoundTrip() async throws {
        let uuid = UUID()
        #expect(try await stored(\.float, 0.1) == 0.1)
        #expect(try await stored(\.bool, true))
        #expect(try await stored(\.data, Data([0, 1, 255])) == Data([0, 1, 255]))
        #expect(try await stored(\.data, Data()) == Data())
        #expect(try await stored(\.uuid, uuid) == uuid)
        #expect(
            try await stored(\.url, URL(string: "https://a.example/b?c=d#e"))
                == URL(string: "https://a.example/b?c=d#e")
        )
        #expect(try await stored(\.level, .high) == .high)
        #expect(try await stored(\.maybeLevel, .high) == .high)
        #expect(try await stored(\.maybeLevel, nil) == nil)
        #expect(try await stored(\.address, Address(street: "1", city: "é")) == Address(street: "1", city: "é"))
        #expect(try await stored(\.maybeAddress, nil) == nil)
        #expect(try await stored(\.words, ["a", ""]) == ["a", ""])
        #expect(
            try await stored(\.dates, [Date(timeIntervalSinceReferenceDate: 0.1)]) == [
                Date(timeIntervalSinceReferenceDate: 0.1)
            ]
        )
        #expect(try await stored(\.maybeInt, nil) == nil)
    }

    @Test func savingNaNFails() async throws {
        try await withStorage(model: Self.model) { manager in
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    let object = try storage.insertNewObject(ofType: Everything.self)
                    object.double = .nan
                    object.maybeDouble = .nan
                    object.decimal = .nan
                }
            }
            #expect(error?.problems.count == 3)
        }
    }

    @Test func defaultIsEvaluatedForEachObject() async throws {
        try await withStorage(model: Self.model) { manager in
            let ids = try await manager.performAndSave { storage in
                try [
                    storage.insertNewObject(ofType: Everything.self).uuid,
                    storage.insertNewObject(ofType: Everything.self).uuid,
                ]
            }
            #expect(ids[0] != ids[1])
        }
    }

    @Test func transientPropertyIsNotStored() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                let object = try storage.insertNewObject(ofType: Everything.self)
                object.scratch = 7
                #expect(object.scratch == 7)
            }
            #expect(try manager.viewStorage.firstObject(ofType: Everything.self)?.scratch == 0)
        }
    }
}
#endif
