import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import LarderTestTraits
import Testing

struct BuiltInTypeTests {
    @Test func everyNaNIsReadAsQuietNaN() throws {
        let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
        let (double, float) = (DefaultsKey<Double>("d", defaultValue: 0), DefaultsKey<[Float]>("f", defaultValue: []))
        for nan in [-Double.nan, Double(nan: 7, signaling: false), .nan, -.nan] {
            adapter[key: double] = nan
            #expect(adapter[key: double].bitPattern == Double.nan.bitPattern)
            adapter.remove(double)
        }
        adapter[key: float] = [-.nan, 1]
        #expect(adapter[key: float].first?.bitPattern == Float.nan.bitPattern)
        adapter[key: DefaultsKey<Date?>("t")] = Date(timeIntervalSinceReferenceDate: -.nan)
        let date = try #require(adapter[key: DefaultsKey<Date?>("t")])
        #expect(date.timeIntervalSinceReferenceDate.bitPattern == Double.nan.bitPattern)
    }

    private let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())

    /// Stores a value, an array of it, a dictionary of it and an optional of it, and reads all of them back.
    private func expectRoundTrip<Value: DefaultsSerializable & Equatable>(
        _ value: Value,
        _ other: Value,
        _ location: SourceLocation = #_sourceLocation
    ) where Value.T == Value {
        let single = DefaultsKey<Value>("single", defaultValue: other)
        adapter[key: single] = value
        #expect(adapter[key: single] == value, sourceLocation: location)

        let list = DefaultsKey<[Value]>("list", defaultValue: [])
        adapter[key: list] = [value, other]
        #expect(adapter[key: list] == [value, other], sourceLocation: location)

        let nested = DefaultsKey<[String: [[Value]]]>("nested", defaultValue: [:])
        adapter[key: nested] = ["a": [[value], []], "b": [[other, value]]]
        #expect(adapter[key: nested] == ["a": [[value], []], "b": [[other, value]]], sourceLocation: location)

        let optional = DefaultsKey<Value?>("optional")
        adapter[key: optional] = value
        #expect(adapter[key: optional] == value, sourceLocation: location)
        adapter[key: optional] = nil
        #expect(adapter[key: optional] == nil, sourceLocation: location)

        let optionals = DefaultsKey<[Value?]>("optionals", defaultValue: [])
        adapter[key: optionals] = [value, nil]
        #expect(adapter[key: optionals] == [value, nil], sourceLocation: location)
    }

    @Test(.expectsIssues(.conflictingKeys)) func integersOfEveryWidthRoundTrip() {
        expectRoundTrip(Int.min, .max)
        expectRoundTrip(Int8.min, .max)
        expectRoundTrip(Int16.min, .max)
        expectRoundTrip(Int32.min, .max)
        expectRoundTrip(Int64.min, .max)
        expectRoundTrip(UInt.max, 0)
        expectRoundTrip(UInt8.max, 0)
        expectRoundTrip(UInt16.max, 0)
        expectRoundTrip(UInt32.max, 0)
        expectRoundTrip(UInt64.max, 0)
    }

    @Test(.expectsIssues(.conflictingKeys)) func numbersAndBooleansRoundTrip() {
        expectRoundTrip(Float(0.1), -0.5)
        expectRoundTrip(0.1, -.infinity)
        expectRoundTrip(true, false)
    }

    @Test(.expectsIssues(.conflictingKeys)) func stringsAndDataRoundTrip() throws {
        expectRoundTrip("", "🙂 12")
        expectRoundTrip(Data(), Data([0, 255]))
    }

    @Test(.expectsIssues(.conflictingKeys)) func datesAndURLsRoundTrip() throws {
        expectRoundTrip(Date(timeIntervalSinceReferenceDate: 0.123456789), .distantPast)
        let url = try #require(URL(string: "https://user@example.com:8080/a%20b?c=d#e"))
        expectRoundTrip(url, URL(filePath: "/tmp/x"))
    }

    @Test func codableTypesRoundTrip() { expectRoundTrip(CodableFrog(name: "a"), CodableFrog(name: "b", weight: 2.5)) }

    @Test(.expectsIssues(.conflictingKeys)) func rawValuesRoundTrip() {
        expectRoundTrip(Mood.calm, .loud)
        expectRoundTrip(Size.small, .large)
    }

    @Test func valuesOfCustomBridgesRoundTripInContainers() {
        expectRoundTrip(BridgedFrog(name: "a"), BridgedFrog(name: ""))
    }

    @Test func archivedObjectsRoundTrip() { expectRoundTrip(ArchivedFrog(name: "a"), ArchivedFrog(name: "b")) }
}
