import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStorage
import LarderStores
import Testing

struct BridgeTests {
    private let userDefaults = UserDefaultsFacade(MemoryStore())

    private func expectRoundTrip<Value: Equatable>(
        _ bridge: DefaultsBridge<Value>,
        _ value: Value,
        isSerialized: Bool = false,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(bridge.get(key: "k", userDefaults: userDefaults) == nil, sourceLocation: location)
        bridge.save(key: "k", value: value, userDefaults: userDefaults)
        #expect(bridge.get(key: "k", userDefaults: userDefaults) == value, sourceLocation: location)
        let object = try #require(userDefaults.object(forKey: "k"), sourceLocation: location)
        #expect(bridge.deserialize(object) == value, sourceLocation: location)
        #expect(bridge.isSerialized() == isSerialized, sourceLocation: location)
        bridge.save(key: "k", value: nil, userDefaults: userDefaults)
        #expect(try !userDefaults.store.contains("k"), sourceLocation: location)
    }

    @Test func valuesRoundTripThroughBuiltInBridges() throws {
        try expectRoundTrip(DefaultsStringBridge(), "a")
        try expectRoundTrip(DefaultsIntBridge(), 1)
        try expectRoundTrip(DefaultsDoubleBridge(), 0.5)
        try expectRoundTrip(DefaultsBoolBridge(), true)
        try expectRoundTrip(DefaultsDataBridge(), Data([1]))
        try expectRoundTrip(DefaultsUrlBridge(), URL(filePath: "/tmp"), isSerialized: true)
        try expectRoundTrip(DefaultsValueBridge<Date>(), .distantFuture)
        try expectRoundTrip(DefaultsObjectBridge<[String: Int]>(), ["a": 1])
        try expectRoundTrip(DefaultsArrayBridge<[String]>(), ["a", "b"])
        try expectRoundTrip(DefaultsCodableBridge<CodableFrog>(), CodableFrog(name: "a"), isSerialized: true)
        try expectRoundTrip(DefaultsRawRepresentableBridge<Mood>(), .loud, isSerialized: true)
        try expectRoundTrip(DefaultsRawRepresentableArrayBridge<[Size]>(), [.large, .small], isSerialized: true)
        try expectRoundTrip(DefaultsKeyedArchiverBridge<ArchivedFrog>(), ArchivedFrog(name: "a"), isSerialized: true)
        try expectRoundTrip(DefaultsKeyedArchiverBridge<[String]>(), ["a"], isSerialized: true)
        try expectRoundTrip(DefaultsOptionalBridge(DefaultsIntBridge()), 3)
        try expectRoundTrip(DefaultsOptionalBridge(BridgedFrogBridge()), BridgedFrog(name: "a"), isSerialized: true)
    }

    @Test func bridgeWithoutOverridesReportsIssueAndChangesNothing() {
        let bridge = DefaultsBridge<Int>()
        let issues = issues {
            bridge.save(key: "k", value: 1, userDefaults: userDefaults)
            #expect(bridge.get(key: "k", userDefaults: userDefaults) == nil)
        }
        #expect(issues.map(\.code) == [.unsupportedValue, .unsupportedValue])
        #expect(bridge.deserialize(3) == 3)
        #expect(!bridge.isSerialized())
    }

    @Test func bridgeThatStoresNothingIsReported() throws {
        struct Silent: DefaultsSerializable { static var _defaults: DefaultsBridge<Int> { SilentBridge() } }
        final class SilentBridge: DefaultsBridge<Int> {
            override func save(key: String, value: Int?, userDefaults: UserDefaults) {}
            override func get(key: String, userDefaults: UserDefaults) -> Int? { nil }
        }
        let key = DefaultsKey<[Silent]>("k", defaultValue: [])
        let adapter = DefaultsAdapter(defaults: userDefaults, keyStore: DefaultsKeys())
        let issues = try issues {
            adapter[key: key] = [1]
            try userDefaults.store.set([1], for: "k")
            #expect(adapter[key: key] == [])
        }
        #expect(issues.map(\.code) == [.unsupportedValue, .notConvertible])
    }

    @Test func unstorableObjectIsReportedAndNotWritten() {
        struct Opaque { var number = 1 }
        let bridge = DefaultsObjectBridge<Any>()
        bridge.save(key: "k", value: "before", userDefaults: userDefaults)
        let issues = issues {
            bridge.save(key: "k", value: Opaque(), userDefaults: userDefaults)
            DefaultsArrayBridge<[Any]>().save(key: "k", value: [Opaque()], userDefaults: userDefaults)
        }
        #expect(issues.map(\.code) == [.unsupportedValue, .unsupportedValue])
        #expect(userDefaults.string(forKey: "k") == "before")
    }

    @Test func builtInBridgeCanBeSubclassed() {
        final class Shouting: DefaultsStringBridge {
            override func get(key: String, userDefaults: UserDefaults) -> String? {
                super.get(key: key, userDefaults: userDefaults)?.uppercased()
            }
        }
        let bridge = Shouting()
        bridge.save(key: "k", value: "quiet", userDefaults: userDefaults)
        #expect(bridge.get(key: "k", userDefaults: userDefaults) == "QUIET")
    }

    @Test func codecBridgeEncodesAndDecodesValues() {
        struct Reversed: DefaultsCodec {
            func encode(_ value: String) -> StoredValue { .string(String(value.reversed())) }
            func decode(_ stored: StoredValue) throws -> Conversion<String> {
                guard case .string(let text) = stored else { throw CoreError.NotFound() }
                return Conversion(String(text.reversed()))
            }
        }
        let bridge = DefaultsCodecBridge(Reversed())
        bridge.save(key: "k", value: "abc", userDefaults: userDefaults)
        #expect(userDefaults.string(forKey: "k") == "cba")
        #expect(bridge.get(key: "k", userDefaults: userDefaults) == "abc")
        #expect(bridge.deserialize("cba") == "cba")
        #expect(bridge.deserialize(1) == nil)
        #expect(bridge.deserialize(NSObject()) == nil)
    }
}
