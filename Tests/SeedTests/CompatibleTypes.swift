import Foundation
import Larder
import LarderTestSupport
import Testing

/// The list "`UserDefaults` (iOS) compatible types" that seeds 000, 001 and 003 share, each put and got through a data source
/// over a suite of `UserDefaults`.
func expectCompatibleTypes() throws {
    // Foundation on Linux takes a path for a suite's name.
    let folder = try TemporaryDirectory()
    defer { withExtendedLifetime(folder) {} }
    let userDefaults = try #require(UserDefaults(suiteName: folder.path("suite")))

    func expectRoundTrip<T: StorableValue & Equatable>(_ value: T) throws {
        let source = DeviceStorageDataSource<T>(userDefaults, prefix: "\(T.self)")
        try source.put(value, forId: "value").get()
        #expect(try source.get("value").get() == value)
    }
    // - Integer
    try expectRoundTrip(Int.max)
    // - Float
    try expectRoundTrip(Float(0.1))
    // - Double
    try expectRoundTrip(3.14159265359)
    // - Bool
    try expectRoundTrip(true)
    // - String
    try expectRoundTrip("São Paulo 🙂")
    // - URL
    try expectRoundTrip(try #require(URL(string: "https://user@example.com/a%20b?c=d#e")))
    // - Date
    try expectRoundTrip(Date(timeIntervalSinceReferenceDate: 123_456.789))
    // - Data
    try expectRoundTrip(Data([0, 1, 255]))
    // - Array of any type of this list
    try expectRoundTrip([[1.5], [], [-0.0]])
    // - Dictionary of [String : T] where T is any type of this list
    try expectRoundTrip(["a": ["b": [Date.distantPast]], "": [:]])
}
