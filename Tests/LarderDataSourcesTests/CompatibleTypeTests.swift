import Foundation
import LarderCore
import LarderDataSources
import LarderDeviceStorage
import LarderStores
import LarderTestSupport
import Testing

/// Tests that a data source returns values of each documented type unchanged, before and after the store is reopened.
struct CompatibleTypeTests {
    /// Writes values to a store, then reads them from this store and from another store that uses the same file.
    private func expectRoundTrip<T: StorableValue & Equatable>(
        _ values: T...,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let memory = MemoryStore()
        try expectRoundTrip(values, put: memory, got: memory, location)
        let folder = try TemporaryDirectory()
        defer { withExtendedLifetime(folder) {} }
        let list = folder.path("values.plist")
        try expectRoundTrip(
            values,
            put: try PropertyListStore(path: list),
            got: try PropertyListStore(path: list),
            location
        )
        // Foundation on Linux accepts a path as a suite's name, and reads the file again after `synchronize()`.
        let suite = folder.path("suite")
        let userDefaults = try #require(UserDefaults(suiteName: suite))
        let reread = { () throws -> any KeyValueStore in
            userDefaults.synchronize()
            return UserDefaultsStore(try #require(UserDefaults(suiteName: suite)))
        }
        try expectRoundTrip(values, put: UserDefaultsStore(userDefaults), got: try reread(), location)
    }

    private func expectRoundTrip<T: StorableValue & Equatable>(
        _ values: [T],
        put first: @autoclosure () throws -> any KeyValueStore,
        got second: @autoclosure () throws -> any KeyValueStore,
        _ location: SourceLocation
    ) throws {
        do {
            // Released before the second store is opened, so that they share only the file.
            let source = DeviceStorageDataSource<T>(try first(), prefix: "T")
            for (id, value) in values.enumerated() {
                #expect(try source.put(value, forId: id).get() == value, sourceLocation: location)
            }
            try source.putAll(values, forId: "list").get()
        }
        let reopened = DeviceStorageDataSource<T>(try second(), prefix: "T")
        for (id, value) in values.enumerated() {
            #expect(try reopened.get(id).get() == value, sourceLocation: location)
        }
        #expect(try reopened.getAll("list").get() == values, sourceLocation: location)
        #expect(try second().verify().isIntact, sourceLocation: location)
    }

    @Test func integersOfEveryWidthRoundTrip() throws {
        try expectRoundTrip(Int.min, -1, 0, .max)
        try expectRoundTrip(Int8.min, .max)
        try expectRoundTrip(Int16.min, .max)
        try expectRoundTrip(Int32.min, .max)
        try expectRoundTrip(Int64.min, .max)
        try expectRoundTrip(UInt.min, .max)
        try expectRoundTrip(UInt8.min, .max)
        try expectRoundTrip(UInt16.min, .max)
        try expectRoundTrip(UInt32.min, .max)
        try expectRoundTrip(UInt64.min, UInt64(Int64.max), .max)
    }

    @Test func floatsAndDoublesRoundTrip() throws {
        try expectRoundTrip(Float(0.1), -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude)
        try expectRoundTrip(0.1, 2.0, 3.14159265359, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude)
    }

    @Test func negativeZeroKeepsSign() throws {
        let source = DeviceStorageDataSource<Double>(MemoryStore())
        source.put(-0.0, forId: "zero")
        #expect(try source.get("zero").get().sign == .minus)
    }

    @Test func boolsRoundTrip() throws { try expectRoundTrip(true, false) }

    @Test func stringsRoundTrip() throws {
        try expectRoundTrip("", "a\0b\r\n\u{7}", "🙂 12", "e\u{301}", "\u{E9}")
    }

    @Test func urlsRoundTrip() throws {
        try expectRoundTrip(
            try #require(URL(string: "https://user@example.com:8080/a%20b?c=d#e")),
            URL(filePath: "/tmp/a b")
        )
    }

    @Test func datesRoundTrip() throws {
        try expectRoundTrip(Date(timeIntervalSinceReferenceDate: 123_456.789), .distantPast, .distantFuture)
    }

    @Test func dataRoundTrips() throws { try expectRoundTrip(Data(), Data([0, 255, 10])) }

    @Test func nestedArraysRoundTrip() throws {
        try expectRoundTrip([Int](), [1, 2])
        try expectRoundTrip([[[Float(0.1)], []], []])
        try expectRoundTrip([["a": Data([1])]])
    }

    @Test func nestedDictionariesRoundTrip() throws {
        try expectRoundTrip([String: Bool](), ["": true, "a.b": false])
        try expectRoundTrip(["a": ["b": ["c": UInt64.max]], "d": [:]])
        try expectRoundTrip(["a": [Date(timeIntervalSinceReferenceDate: 0.5)]])
    }
}
