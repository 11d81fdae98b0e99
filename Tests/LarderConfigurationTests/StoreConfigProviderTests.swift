#if Configuration
import Configuration
import Foundation
import LarderConfiguration
import LarderCore
import LarderStores
import Testing

struct StoreConfigProviderTests {
    private let store: any KeyValueStore = MemoryStore(name: "memory")

    private func content(_ key: String, _ type: ConfigType, prefix: String = "") throws -> ConfigContent? {
        try StoreConfigProvider(store, prefix: prefix)
            .value(forKey: AbsoluteConfigKey(key.split(separator: ".").map(String.init)), type: type).value?.content
    }

    @Test func storedValuesAreConvertedToRequestedTypes() throws {
        try store.set(3, for: "n")
        #expect(try content("n", .int) == .int(3))
        #expect(try content("n", .double) == .double(3))
        #expect(try content("n", .string) == .string("3"))
        try store.set(true, for: "b")
        #expect(try content("b", .bool) == .bool(true))
        try store.set(.data(Data([1, 2])), for: "d")
        #expect(try content("d", .bytes) == .bytes([1, 2]))
        try store.set([1, 2], for: "list")
        #expect(try content("list", .intArray) == .intArray([1, 2]))
        #expect(try content("list", .doubleArray) == .doubleArray([1, 2]))
        try store.set(["a"], for: "texts")
        #expect(try content("texts", .stringArray) == .stringArray(["a"]))
        try store.set([true], for: "flags")
        #expect(try content("flags", .boolArray) == .boolArray([true]))
        try store.set(.array([.data(Data([1]))]), for: "chunks")
        #expect(try content("chunks", .byteChunkArray) == .byteChunkArray([[1]]))
    }

    @Test func lookupOfMissingKeyReturnsNil() throws { #expect(try content("missing", .int) == nil) }

    @Test func lookupOfUnconvertibleValueThrows() throws {
        try store.set("many", for: "n")
        try store.set(.double(2.7), for: "x")
        #expect(throws: CoreError.NotFound.self) { try content("n", .int) }
        #expect(throws: CoreError.NotFound.self) { try content("x", .int) }
    }

    @Test func configReaderFindsKeysWithPrefix() throws {
        try store.set(9090, for: "server.http.port")
        let provider = StoreConfigProvider(store, prefix: "server.")
        let config = ConfigReader(provider: provider)
        #expect(config.int(forKey: "http.port", default: 1) == 9090)
        #expect(config.scoped(to: "http").string(forKey: "port") == "9090")
        #expect(config.int(forKey: "http.limit", default: 7) == 7)
        #expect(provider.providerName == "StoreConfigProvider[memory]")
        let key = AbsoluteConfigKey(["http", "port"])
        #expect(try provider.value(forKey: key, type: .int).encodedKey == "server.http.port")
    }

    @Test func secretValuesAreMarkedAsSecret() throws {
        try store.set("x", for: "token")
        let provider = StoreConfigProvider(store, isSecret: { $0 == "token" })
        #expect(try provider.value(forKey: AbsoluteConfigKey(["token"]), type: .string).value?.isSecret == true)
    }

    @Test func fetchReturnsCurrentStoredValue() async throws {
        try store.set(1, for: "n")
        let result = try await StoreConfigProvider(store).fetchValue(forKey: AbsoluteConfigKey(["n"]), type: .int)
        #expect(result.value?.content == .int(1))
    }

    @Test func laterWritesDoNotChangeSnapshot() throws {
        try store.set(1, for: "a.n")
        try store.set(1, for: "b.n")
        let snapshot = StoreConfigProvider(store, prefix: "a.").snapshot()
        try store.set(2, for: "a.n")
        #expect(try snapshot.value(forKey: AbsoluteConfigKey(["n"]), type: .int).value?.content == .int(1))
        #expect(try snapshot.value(forKey: AbsoluteConfigKey(["m"]), type: .int).value == nil)
        #expect(snapshot.providerName == "StoreConfigProvider[memory]")
    }

    @Test func watcherReceivesNewValueAfterWrite() async throws {
        try store.set(1, for: "n")
        let store = store
        let seen = try await StoreConfigProvider(store).watchValue(forKey: AbsoluteConfigKey(["n"]), type: .int) {
            updates in
            var seen: [ConfigContent?] = []
            for await update in updates {
                seen.append(try update.get().value?.content)
                if seen.count == 1 { try store.set(2, for: "n") }
                if seen.count == 2 { try store.remove("n") }
                if seen.count == 3 { break }
            }
            return seen
        }
        #expect(seen == [.int(1), .int(2), nil])
    }

    @Test func snapshotWatcherReceivesNewSnapshotAfterWrite() async throws {
        let store = store
        let key = AbsoluteConfigKey(["n"])
        let seen = try await StoreConfigProvider(store, prefix: "a.").watchSnapshot { updates in
            var seen: [ConfigContent?] = []
            for await snapshot in updates {
                seen.append(try snapshot.value(forKey: key, type: .int).value?.content)
                if seen.count == 1 { try store.set(2, for: "a.n") }
                if seen.count == 2 { break }
            }
            return seen
        }
        #expect(seen == [nil, .int(2)])
        #expect(try store.verify().isIntact)
    }
}
#endif
